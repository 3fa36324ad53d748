import { join } from 'node:path';
import { atLeast, never } from '../support/aims.mjs';
import { program } from '../support/packages.mjs';
import { cpuMs, startProgram } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';
import { openOurs, openPlain } from '../support/terminal.mjs';
import { catCommand, READY, writeText } from '../support/text.mjs';

const BYTES = 100_000_000;

/** Prints a file in a terminal, and measures the time from Enter until the viewer has received the last byte. */
async function flow(viewer, file, expected) {
  viewer.type(catCommand(file));
  await viewer.untilText(READY);
  viewer.reset();
  const since = performance.now();
  viewer.type('\r');
  await viewer.untilBytes(expected.bytes);
  const ms = performance.now() - since;
  const wrong = viewer.bytes !== expected.bytes || viewer.sha256() !== expected.sha256;
  viewer.close();
  return { rate: expected.bytes / 1_000 / ms, wrong };
}

async function inProcess(reader, file, expected) {
  reader.send(
    JSON.stringify({
      mode: 'own',
      file: '/bin/sh',
      args: ['-c', 'stty -echo; echo ready; read go; exec cat "$0"', file],
      bytes: expected.bytes,
      type: '\n',
    }),
  );
  const { bytes, ms, sha256 } = JSON.parse((await reader.lines.next()).value);
  return { rate: bytes / 1_000 / ms, wrong: bytes !== expected.bytes || sha256 !== expected.sha256 };
}

/** Row 4 of the results: throughput of 100 MB from a terminal, through runner and log, to a WebSocket client. */
export async function measureThroughput({ product, quick }) {
  const rounds = quick ? 3 : 9;
  const console = await startConsole(product);
  const file = join(console.folder, 'text');
  const expected = writeText(file, BYTES);
  const plain = await startProgram(program('limits/plain.mjs'));
  const reader = await startProgram(program('limits/pty-in-process.mjs'));
  const rates = { ours: [], plain: [], inProcess: [] };
  const cpu = { runner: [], server: [], plain: [] };
  let wrong = 0;
  let limitsWrong = 0;
  for (let round = 0; round < rounds; round += 1) {
    const direct = await inProcess(reader, file, expected);
    rates.inProcess.push(direct.rate);

    const plainBefore = cpuMs(plain.pid);
    const beside = await flow(await openPlain(plain.firstLine.port), file, expected);
    cpu.plain.push(cpuMs(plain.pid) - plainBefore);
    rates.plain.push(beside.rate);
    limitsWrong += Number(direct.wrong) + Number(beside.wrong);

    const { viewer } = await openOurs(console, await console.session());
    const serverBefore = cpuMs(console.serverPid());
    const runnerBefore = cpuMs(console.runnerPid);
    const own = await flow(viewer, file, expected);
    cpu.server.push(cpuMs(console.serverPid()) - serverBefore);
    cpu.runner.push(cpuMs(console.runnerPid) - runnerBefore);
    rates.ours.push(own.rate);
    wrong += Number(own.wrong);
  }
  await plain.end();
  await reader.end();
  await console.close();
  const both = cpu.runner.map((ms, round) => ms + cpu.server[round]);
  const name = 'terminal → WebSocket client, 100 MB';
  return [
    {
      name,
      unit: 'MB/s',
      ours: rates.ours,
      limit: rates.inProcess,
      against: 'node-pty in process',
      aim: atLeast(0.6),
    },
    { name, unit: 'MB/s', ours: rates.ours, limit: rates.plain, against: 'plain', aim: atLeast(1) },
    { name: 'CPU time, server + runner', unit: 'ms', ours: both, limit: cpu.plain, against: 'plain' },
    {
      name: `transfers with a wrong byte, of ${rounds}`,
      unit: 'wrong',
      ours: [wrong],
      limit: [limitsWrong],
      against: 'both limits',
      aim: never(0),
    },
  ];
}

import { randomUUID } from 'node:crypto';
import { never } from '../support/aims.mjs';
import { program } from '../support/packages.mjs';
import { startProgram } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';

const COMMAND = { file: '/usr/bin/seq', args: ['1', '20000'] };
const EXPECTED = Buffer.from(Array.from({ length: 20_000 }, (_, n) => `${n + 1}\r\n`).join(''));

/**
 * Runs COMMAND in the runner. Returns as `lost` the sum of the bytes that a subscriber missed and the bytes that the
 * log lacked after the exit.
 */
async function throughRunner(client) {
  const workerId = randomUUID();
  const seen = [];
  const env = { PATH: '/usr/bin:/bin', TERM: 'xterm-256color' };
  await client.spawn({ workerId, mode: 'pty', ...COMMAND, cwd: '/', env, cols: 120, rows: 36 });
  await new Promise((resolve, reject) => {
    const reading = client.subscribe(workerId, 0, {
      onData({ offset, data }) {
        seen.push(Buffer.from(data));
        reading.ack(offset + data.length);
      },
      onResized() {},
      onExit: resolve,
      onFailed: reject,
    });
  });
  const stored = [];
  for (let offset = 0; ; ) {
    const { data } = await client.read(workerId, offset, 256 * 1024);
    if (data.length === 0) break;
    stored.push(Buffer.from(data));
    offset += data.length;
  }
  await client.forget(workerId);
  await client.dropLog(workerId);
  return { lost: missing(seen) + missing(stored) };
}

function missing(chunks) {
  const bytes = Buffer.concat(chunks);
  // If the output differs from the expected one, at least one byte counts as missing, even if the lengths are equal.
  return bytes.equals(EXPECTED) ? 0 : Math.max(1, EXPECTED.length - bytes.length);
}

/** Row 6 of the results: bytes lost when a process prints until it exits. */
export async function measureExits({ product, quick, long }) {
  const exits = long ? 1_000 : quick ? 30 : 100;
  const console = await startConsole(product);
  const client = await product.connectRunner({ home: console.home });
  const stock = await startProgram(program('limits/pty-in-process.mjs'));
  let lost = 0;
  let stockLost = 0;
  for (let n = 0; n < exits; n += 1) {
    lost += (await throughRunner(client)).lost;
    stock.send(JSON.stringify({ mode: 'stock', ...COMMAND, bytes: EXPECTED.length }));
    const { bytes } = JSON.parse((await stock.lines.next()).value);
    stockLost += EXPECTED.length - bytes;
  }
  client.close();
  await stock.end();
  await console.close();
  return [
    {
      name: `bytes lost in ${exits} exits, followed and stored`,
      unit: 'B',
      ours: [lost],
      limit: [stockLost],
      against: 'unmodified node-pty',
      aim: never(0),
      ...(long ? {} : { note: '--long makes 1 000' }),
    },
  ];
}

import { atMost, never } from '../support/aims.mjs';
import { firstAnswer } from '../support/http.mjs';
import { program } from '../support/packages.mjs';
import { pause, rssMiB, startProgram } from '../support/processes.mjs';
import { serveForeground, startConsole } from '../support/product.mjs';

/**
 * Milliseconds for which a started server is idle before its memory is measured, so that deferred work has finished.
 */
const IDLE_MS = 1_500;
const MOST_FRONT_MIB = 45;

/** Returns the time from the start of a minimal MCP server to its first answer, and the memory of the idle server. */
async function startMinimal() {
  const since = performance.now();
  const server = await startProgram(program('limits/minimal-mcp.mjs'));
  const ms = await firstAnswer(server.firstLine.port, since);
  await pause(IDLE_MS);
  const rss = rssMiB(server.pid);
  await server.end();
  return { ms, rss };
}

/** Row 1 of the results: time until the first answer and idle memory, for the server and for the `serve` command. */
export async function measureStart({ product, quick }) {
  const rounds = quick ? 3 : 9;
  const ours = { ms: [], rss: [] };
  const minimal = { ms: [], rss: [] };
  const serve = { ms: [], rss: [] };
  const console = await startConsole(product);
  for (let round = 0; round < rounds; round += 1) {
    const limit = await startMinimal();
    minimal.ms.push(limit.ms);
    minimal.rss.push(limit.rss);

    await console.stopServer();
    const since = performance.now();
    const [ms] = await Promise.all([firstAnswer(console.port, since), console.runServer()]);
    ours.ms.push(ms);
    await pause(IDLE_MS);
    ours.rss.push(console.rssMiB());

    const foreground = await serveForeground(product, IDLE_MS);
    serve.ms.push(foreground.ms);
    serve.rss.push(foreground.rss);
  }
  await console.close();
  const against = 'minimal MCP server';
  return [
    {
      name: 'start of the server → first answer',
      unit: 'ms',
      ours: ours.ms,
      limit: minimal.ms,
      against,
      aim: atMost(1.5),
    },
    {
      name: 'idle memory, server + runner',
      unit: 'MiB',
      ours: ours.rss,
      limit: minimal.rss,
      against,
      aim: atMost(1.8),
    },
    {
      name: '`serve` with a new data directory → first answer',
      unit: 'ms',
      ours: serve.ms,
      limit: minimal.ms,
      against,
      aim: atMost(1.5),
    },
    {
      name: 'memory of the foreground `serve` command, which shows the log',
      unit: 'MiB',
      ours: serve.rss,
      aim: never(MOST_FRONT_MIB),
    },
  ];
}

import { never } from '../support/aims.mjs';
import { firstAnswer } from '../support/http.mjs';
import { program } from '../support/packages.mjs';
import { pause, startProgram, until } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';

/**
 * The runner restarts a server at once if the server ran at least this long before it died. For shorter runs, it waits
 * longer each time.
 */
const STEADY_MS = 5_500;
const MOST_MS = 1_000;
const WORKERS = 10;

/**
 * Row 8 of the results: how long callers wait after the server is killed, compared with the start of a minimal server.
 */
export async function measureRestart({ product, quick }) {
  const rounds = quick ? 3 : 7;
  const console = await startConsole(product);
  for (let n = 0; n < WORKERS; n += 1) {
    const session = await console.session();
    await console.api.call('POST', `/sessions/${session.id}/workers`, { type: 'agent' });
  }
  const ours = [];
  const limit = [];
  for (let round = 0; round < rounds; round += 1) {
    const since = performance.now();
    const minimal = await startProgram(program('limits/minimal-mcp.mjs'));
    limit.push(await firstAnswer(minimal.firstLine.port, since));
    await minimal.end();

    await pause(STEADY_MS);
    const pid = console.serverPid();
    const killedAt = performance.now();
    process.kill(pid, 'SIGKILL');
    ours.push(await firstAnswer(console.port, killedAt));
    await until('the new server', () => console.serverPid() !== pid);
  }
  await console.close();
  return [
    {
      name: `kill -9 of the server with ${WORKERS} agents → next answer`,
      unit: 'ms',
      ours,
      limit,
      against: 'start of a minimal MCP server',
      aim: never(MOST_MS),
    },
  ];
}

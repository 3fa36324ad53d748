import { atMost, never } from '../support/aims.mjs';
import { openMcp } from '../support/mcp.mjs';
import { program } from '../support/packages.mjs';
import { startProgram } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';

const SESSIONS = 500;
/** Created at the same time. */
const TOGETHER = 8;
const BYTES_PER_ROW = 350;

/** Live sessions whose agent does nothing. */
async function fill(console) {
  let made = 0;
  const work = async () => {
    while (made < SESSIONS) {
      made += 1;
      const session = await console.session(`Make the login page of shop ${made} faster`);
      await console.api.call('POST', `/sessions/${session.id}/workers`, { type: 'agent' });
    }
  };
  await Promise.all(Array.from({ length: TOGETHER }, work));
}

async function time(calls, call) {
  const taken = [];
  for (let n = 0; n < calls; n += 1) {
    const since = performance.now();
    await call();
    taken.push(performance.now() - since);
  }
  return taken;
}

/** Row 3: how fast, and how long, an agent's list of all sessions is. */
export async function measureLists({ product, quick }) {
  const console = await startConsole(product);
  await fill(console);
  const minimal = await startProgram(program('limits/minimal-mcp.mjs'));
  const ourClient = await openMcp(console.port, { token: console.token });
  const minimalClient = await openMcp(minimal.said.port);
  const list = () => ourClient.call('list_sessions', { limit: SESSIONS });
  const { content } = await list();
  if (content.sessions.length !== SESSIONS) throw new Error(`${content.sessions.length} of ${SESSIONS} are listed`);
  const rowBytes = Buffer.byteLength(JSON.stringify(content)) / SESSIONS;
  // The limits answer the very same rows.
  minimal.send(JSON.stringify(content));
  await minimal.lines.next();

  const ours = [];
  const text = [];
  const twice = [];
  const calls = quick ? 50 : 100;
  const rounds = quick ? 3 : 7;
  await time(calls, list);
  await time(calls, () => minimalClient.call('list_sessions'));
  await time(calls, () => minimalClient.call('list_sessions_twice'));
  for (let round = 0; round < rounds; round += 1) {
    text.push(...(await time(calls, () => minimalClient.call('list_sessions'))));
    ours.push(...(await time(calls, list)));
    twice.push(...(await time(calls, () => minimalClient.call('list_sessions_twice'))));
  }
  ourClient.close();
  minimalClient.close();
  await minimal.end();
  await console.close();
  const name = `MCP list of ${SESSIONS} sessions`;
  return [
    {
      name: `${name}, as text and as structure`,
      unit: 'ms',
      ours,
      limit: twice,
      against: 'minimal MCP server, both forms',
      aim: atMost(1.5),
    },
    {
      name: `${name}, against text only`,
      unit: 'ms',
      ours,
      limit: text,
      against: 'minimal MCP server, text only',
      aim: atMost(1.5),
    },
    { name: 'bytes a row, counted once', unit: 'B', ours: [rowBytes], aim: never(BYTES_PER_ROW) },
  ];
}

import { atMost, never } from '../support/aims.mjs';
import { connect } from '../support/http.mjs';
import { openMcp } from '../support/mcp.mjs';
import { program } from '../support/packages.mjs';
import { startProgram } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';

const SESSIONS = 500;
/** Number of sessions created concurrently. */
const TOGETHER = 8;
const BYTES_PER_ROW = 350;

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

/** Measures `GET /api/sessions` and compares it with a server that only serializes and sends the same bytes. */
async function measureRest(console, { calls, rounds }) {
  const path = `/api/sessions?limit=${SESSIONS}`;
  const minimal = await startProgram(program('limits/minimal-rest.mjs'));
  const beside = connect(minimal.firstLine.port);
  const get = async (client) => (await client.request('GET', path)).text;
  const text = await get(console.api);
  minimal.send(JSON.stringify(JSON.parse(text)));
  await minimal.lines.next();
  if ((await get(beside)) !== text) throw new Error('the minimal server returned different bytes');
  const ours = [];
  const limit = [];
  await time(calls, () => get(console.api));
  await time(calls, () => get(beside));
  for (let round = 0; round < rounds; round += 1) {
    limit.push(...(await time(calls, () => get(beside))));
    ours.push(...(await time(calls, () => get(console.api))));
  }
  beside.close();
  await minimal.end();
  return {
    name: `REST list of ${SESSIONS} sessions, ${Math.round(text.length / 1_000)} kB`,
    unit: 'ms',
    ours,
    limit,
    against: 'minimal server, the same bytes',
    aim: atMost(3),
  };
}

/**
 * Row 3 of the results: duration and size of complete session lists, over MCP for agents and over REST for the
 * dashboard.
 */
export async function measureLists({ product, quick }) {
  const console = await startConsole(product);
  await fill(console);
  const minimal = await startProgram(program('limits/minimal-mcp.mjs'));
  const ourClient = await openMcp(console.port, { token: console.token });
  const minimalClient = await openMcp(minimal.firstLine.port);
  const list = () => ourClient.call('list_sessions', { limit: SESSIONS });
  const { content, bytes } = await list();
  if (content.sessions.length !== SESSIONS) throw new Error(`${content.sessions.length} of ${SESSIONS} are listed`);
  // Both tools of the minimal server return exactly the same rows as the console.
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
  const rest = await measureRest(console, { calls, rounds });
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
    {
      name: 'bytes of a row in its response, text and structure together',
      unit: 'B',
      ours: [bytes / SESSIONS],
      aim: never(BYTES_PER_ROW),
    },
    rest,
  ];
}

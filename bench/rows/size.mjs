import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { atMost } from '../support/aims.mjs';
import { fillDatabase, WORDS } from '../support/fill.mjs';
import { connect } from '../support/http.mjs';
import { program } from '../support/packages.mjs';
import { startProgram } from '../support/processes.mjs';
import { startConsole } from '../support/product.mjs';

const FULL = { sessions: 10_000, messages: 1_000_000 };
const QUICK = { sessions: 10_000, messages: 100_000 };

/** Creates a session with one finished task, for `fillDatabase` to copy. */
async function firstSession(console) {
  const session = await console.session('the first');
  const { taskId } = await console.api.call('POST', `/sessions/${session.id}/prompt`, { prompt: 'go on' });
  await console.api.call('POST', `/tasks/${taskId}/cancel`);
  await console.api.call('POST', `/sessions/${session.id}/stop`);
  return session.id;
}

async function timed(call) {
  const since = performance.now();
  await call();
  return performance.now() - since;
}

/** Starts a minimal server that updates sessions in a copy of a console's database. */
async function startMinimal(console) {
  const copy = join(console.folder, 'copy.db');
  await console.stopServer();
  copyFileSync(join(console.home, 'console.db'), copy);
  await console.runServer();
  return startProgram(program('limits/minimal-update.mjs'), [copy]);
}

/**
 * Measures `PATCH /sessions/:id`, and compares it with the same call in a database of one session, and with a minimal
 * server that only stores the title and an event.
 */
async function measureUpdates({ large, empty, emptyId, idOf, calls }) {
  const minimal = await startMinimal(empty);
  const beside = connect(minimal.firstLine.port);
  const changed = (n) => ({ title: `Make the page ${n} times faster` });
  const update = (console, id, n) => console.api.call('PATCH', `/sessions/${id}`, changed(n));
  const store = (n) => beside.request('PATCH', `/sessions/${emptyId}`, changed(n));
  const { title } = JSON.parse((await store(0)).text);
  if (title !== changed(0).title) throw new Error(`the minimal server stored ${title}`);
  const [ours, limit, least] = [[], [], []];
  for (let n = -calls / 10; n < calls; n += 1) {
    const times = [
      await timed(() => update(large, idOf(n + calls), n)),
      await timed(() => update(empty, emptyId, n)),
      await timed(() => store(n)),
    ];
    // The first calls only warm up.
    if (n >= 0) for (const [at, values] of [ours, limit, least].entries()) values.push(times[at]);
  }
  beside.close();
  await minimal.end();
  const row = { name: 'update of one session', unit: 'ms', ours };
  return [
    { ...row, limit, against: 'database with one session', aim: atMost(3) },
    { ...row, name: `${row.name}, against a minimal server`, limit: least, against: 'minimal server, same change' },
  ];
}

/**
 * Row 12 of the results: duration of lists, single sessions, searches and updates in a large database, compared with a
 * database of one session.
 */
export async function measureSize({ product, quick }) {
  const size = quick ? QUICK : FULL;
  const [large, empty] = [await startConsole(product), await startConsole(product)];
  const [, emptyId] = [await firstSession(large), await firstSession(empty)];
  await large.stopServer();
  const { sessionIds } = fillDatabase(large.home, size);
  await large.runServer();

  let turn = 0;
  // A different session each time, so that none is cached by an earlier request.
  const idOf = (n) => sessionIds[(n * 7_919) % sessionIds.length];
  const next = () => idOf(turn);
  const get = (console, path) => () => console.api.call('GET', path());
  const search = (query) => () => `/sessions/search?limit=20&query=${query}`;
  const rows = [
    { name: 'list of 50 sessions', path: () => '/sessions?limit=50' },
    { name: 'list of 1 session', path: () => '/sessions?limit=1' },
    { name: 'list of 50 sessions by status', path: () => '/sessions?limit=50&status=idle' },
    { name: 'one session', path: () => `/sessions/${next()}`, emptyPath: () => `/sessions/${emptyId}` },
    { name: 'search for a word of one message', path: search(WORDS.rare), free: true },
    { name: 'search for a word of one message in a hundred', path: search(WORDS.middling), free: true },
    { name: 'search for a word of every message', path: search(WORDS.common), free: true },
    { name: 'search for two words of every message', path: search(`${WORDS.common}%20w1`), free: true },
    { name: 'search for a prefix', path: search('w1a*'), free: true },
  ];
  const calls = quick ? 30 : 200;
  const measured = [];
  for (const { name, path, emptyPath = path, free } of rows) {
    const ours = [];
    const limit = [];
    const [large1, empty1] = [get(large, path), get(empty, emptyPath)];
    for (let n = 0; n < calls / 10; n += 1) {
      await large1();
      await empty1();
    }
    for (turn = 1; turn <= calls; turn += 1) {
      limit.push(await timed(empty1));
      ours.push(await timed(large1));
    }
    const row = { name, unit: 'ms', ours, limit, against: 'database with one session' };
    measured.push(free ? row : { ...row, aim: atMost(3) });
  }
  measured.push(...(await measureUpdates({ large, empty, emptyId, idOf, calls })));
  await Promise.all([large.close(), empty.close()]);
  return measured.map((row) => ({
    ...row,
    name: `REST, ${size.sessions} sessions, ${size.messages} messages: ${row.name}`,
  }));
}

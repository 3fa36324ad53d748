import { atMost } from '../support/aims.mjs';
import { fillDatabase, WORDS } from '../support/fill.mjs';
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

/**
 * Row 12 of the results: duration of lists, single sessions and searches in a large database, compared with a database
 * of one session.
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
  const next = () => sessionIds[(turn * 7_919) % sessionIds.length];
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
  await Promise.all([large.close(), empty.close()]);
  return measured.map((row) => ({
    ...row,
    name: `REST, ${size.sessions} sessions, ${size.messages} messages: ${row.name}`,
  }));
}

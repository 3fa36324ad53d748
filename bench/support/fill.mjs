import { join } from 'node:path';
import { copier, idOf } from './copy-rows.mjs';
import { load } from './packages.mjs';

/** Words to search for: in nearly all messages, in one of a hundred, and in a single message. */
export const WORDS = { common: 'the', middling: 'harbour', rare: 'n500000' };

const VOCABULARY = 20_000;
const WORDS_PER_TEXT = 30;
/** Number of distinct texts; each message has one of them plus a unique word. */
const TEXTS = 2_000;
/** Number of tasks per session. All of them have ended. */
const TASKS = 10;

/** Generates texts with few frequent and many rare words, as in natural language; identical in every run. */
function makeTexts() {
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const word = () => `w${Math.floor(VOCABULARY ** random()).toString(36)}`;
  return Array.from({ length: TEXTS }, (_, n) => {
    const words = Array.from({ length: WORDS_PER_TEXT }, word).join(' ');
    return `${WORDS.common} ${words}${n % 100 === 0 ? ` ${WORDS.middling}` : ''}`;
  });
}

/**
 * Writes sessions, their ended tasks and messages into the database of a console whose server is stopped, in one
 * transaction. Sessions and tasks are copies of the first existing ones, so that the fill does not depend on their
 * columns.
 * @param {string} home data directory of a console that has a session with an ended task
 * @param {{sessions: number, messages: number}} wanted
 * @returns {{sessionIds: string[]}}
 */
export function fillDatabase(home, { sessions, messages }) {
  const database = new (load('libsql'))(join(home, 'console.db'));
  // Consecutive rows belong to different sessions, so the database writes them to different index pages. Without a
  // large cache, each insert would write a page.
  database.pragma('cache_size = -1000000');
  const texts = makeTexts();
  const at = new Date(0).toISOString();
  const perSession = Math.ceil(messages / sessions);
  const insertSession = copier(database, 'sessions', ['id', 'title', 'messageCount', 'parentSessionId']);
  const insertTask = copier(database, 'tasks', ['id', 'sessionId', 'prompt']);
  const insertMessage = database.prepare(
    `insert into messages (id, "sessionId", seq, role, kind, parts, source, "createdAt")
     values (?, ?, ?, 'agent', 'text', ?, 'transcript', ?)`,
  );
  const sessionIds = Array.from({ length: sessions }, (_, n) => idOf('a', n));
  database.exec('begin');
  for (const [n, id] of sessionIds.entries()) {
    insertSession.run({ id, title: `Make page ${n} faster`, messageCount: perSession, parentSessionId: null });
    for (let t = 0; t < TASKS; t += 1) {
      insertTask.run({ id: idOf('b', n * TASKS + t), sessionId: id, prompt: `Step ${t} of page ${n}` });
    }
  }
  // Writes one message of each session, then the next message of each session, and so on. The messages of real sessions
  // would also be mixed.
  for (let n = 0; n < messages; n += 1) {
    const parts = JSON.stringify([{ type: 'text', text: `${texts[n % TEXTS]} n${n}` }]);
    insertMessage.run(idOf('c', n), sessionIds[n % sessions], Math.floor(n / sessions) + 1, parts, at);
  }
  database.exec('commit');
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  return { sessionIds };
}

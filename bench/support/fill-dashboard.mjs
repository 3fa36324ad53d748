import { join } from 'node:path';
import { copier, idOf } from './copy-rows.mjs';
import { load } from './packages.mjs';

const BEGAN = Date.UTC(2026, 0, 1);
const at = (minute) => new Date(BEGAN + minute * 60_000).toISOString();

const PARTS = ['parser', 'checkout', 'search page', 'importer', 'invoice', 'login', 'scheduler', 'archive'];
/** Number of child sessions per parent session. */
const CHILDREN = 4;
/** Outcomes of the sessions' tasks. After the last outcome, the first one follows again. */
const OUTCOMES = ['completed', 'completed', 'failed', 'completed', 'cancelled'];

/** Runs `write` in one transaction on the database of a console whose server is stopped. */
function fill(home, write) {
  const database = new (load('libsql'))(join(home, 'console.db'));
  database.pragma('cache_size = -1000000');
  database.exec('begin');
  write(database);
  database.exec('commit');
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

/**
 * Writes copies of the first session, each with one ended task.
 * @param {string} home
 * @param {{count: number, outcomes?: readonly string[]}} wanted
 */
export function fillSessions(home, { count, outcomes = OUTCOMES }) {
  fill(home, (database) => {
    const session = copier(database, 'sessions', ['id', 'title', 'parentSessionId', 'createdAt', 'updatedAt']);
    const task = copier(database, 'tasks', [
      ...['id', 'sessionId', 'prompt', 'status', 'summary', 'errorCode', 'errorMessage'],
      ...['createdAt', 'startedAt', 'endedAt', 'certain', 'outcomeSource'],
    ]);
    for (let n = 0; n < count; n += 1) {
      const id = idOf('a', n);
      const title = `Make the ${PARTS[n % PARTS.length]} faster, step ${n}`;
      const child = n % (CHILDREN + 1);
      const parentSessionId = child === 0 ? null : idOf('a', n - child);
      session.run({ id, title, parentSessionId, createdAt: at(n), updatedAt: at(n + 5) });
      const status = outcomes[n % outcomes.length];
      const failed = status === 'failed';
      task.run({
        ...{ id: idOf('b', n), sessionId: id, prompt: title, status, certain: 1, outcomeSource: 'report' },
        summary: failed ? null : `Step ${n} of the ${PARTS[n % PARTS.length]} is twice as fast`,
        errorCode: failed ? 'AGENT_ERROR' : null,
        errorMessage: failed ? `The tests of step ${n} failed` : null,
        ...{ createdAt: at(n), startedAt: at(n + 1), endedAt: at(n + 5) },
      });
    }
  });
}

/** Number of messages in a turn: a prompt, then texts and tool calls. */
const TURN = 20;

/** Returns the role, the kind and the parts of the n-th message of a conversation. */
function messageOf(n) {
  const part = PARTS[n % PARTS.length];
  if (n % TURN === 0)
    return { role: 'user', kind: 'text', parts: [{ type: 'text', text: `Now the ${part}, turn ${n}` }] };
  if (n % 4 === 1) {
    const call = { type: 'toolCall', id: `call-${n}`, name: 'Read', input: { file_path: `src/${part}/part-${n}.ts` } };
    return { role: 'agent', kind: 'toolCall', parts: [{ ...call, status: 'completed' }] };
  }
  const text = `The **${part}** reads \`part-${n}.ts\` twice.\n\n- Step ${n} keeps the first result.\n- The second is dropped.`;
  return { role: 'agent', kind: 'text', parts: [{ type: 'text', text }] };
}

/**
 * Replaces the messages of a session with `count` new ones.
 * @param {string} home
 * @param {{sessionId: string, count: number, first?: number}} wanted `first`: number of messages written by earlier
 * calls, so that all messages have different ids
 */
export function fillConversation(home, { sessionId, count, first = 0 }) {
  fill(home, (database) => {
    const insert = database.prepare(
      `insert into messages (id, "sessionId", seq, role, kind, parts, source, "createdAt")
       values (?, ?, ?, ?, ?, ?, 'transcript', ?)`,
    );
    database.prepare('delete from messages where "sessionId" = ?').run(sessionId);
    for (let n = 0; n < count; n += 1) {
      const { role, kind, parts } = messageOf(n);
      insert.run(idOf('c', first + n), sessionId, n + 1, role, kind, JSON.stringify(parts), at(n / 60));
    }
    database.prepare('update sessions set "messageCount" = ? where id = ?').run(count, sessionId);
  });
}

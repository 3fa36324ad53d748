import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { TRANSCRIPT_ROWS_MAX, TRANSCRIPT_SETTLED_MS } from '@agent-console/shared/limits/transcripts';
import LibSql from 'libsql';
import { asCount, asFields, asText, asTimestamp, type Fields, parseJson } from '../common/fields.ts';
import type { ConversationSources, ConversationStore, Environment } from '../common/kind.ts';
import {
  ANSWERED,
  failedWith,
  INTERRUPTED,
  type TranscriptMessage,
  type TranscriptReading,
  type TurnEnd,
  toolCallText,
} from '../common/transcript.ts';

/** Opens the conversations in opencode's SQLite database (1.18.33). Positions are milliseconds since the epoch. */
export function openOpencodeConversations({ environment, now }: ConversationSources): ConversationStore {
  return {
    // A conversation counts as existing if the database cannot be read, e.g. while a new version of opencode converts
    // it.
    exists: async (nativeId) => opencodeConversations(environment, { id: nativeId }, [nativeId]).length > 0,
    find: async ({ cwd, since }) => opencodeConversations(environment, { directory: cwd, since: Date.parse(since) }),
    async read(nativeId, position) {
      const since = typeof position.since === 'number' ? position.since : 0;
      const { readTo, more, readings } = readOpencodeConversation(environment, nativeId, since);
      const isSettled = readings.length > 0 && readTo < now().getTime() - TRANSCRIPT_SETTLED_MS;
      // opencode may still write rows with the update time of the last row. So the rows with this time are read again
      // until the time is long enough ago. A full page of rows with this time is not read again, because each read
      // would return the same page.
      const next = isSettled || (more && readTo === since) ? readTo + 1 : readTo;
      return { readings, position: { since: next }, more };
    },
  };
}

/**
 * Opens the database read-only, and returns the result of `read`. The database is read instead of opencode's event
 * port, because that port would let every local process type into the agent. Returns `absent` if there is no database,
 * and `unreadable` if it cannot be read.
 */
function withDatabase<T>(
  environment: Environment,
  read: (database: LibSql.Database) => T,
  absent: T,
  unreadable = absent,
): T {
  const data = environment.XDG_DATA_HOME || join(environment.HOME ?? homedir(), '.local', 'share');
  const file = join(data, 'opencode', 'opencode.db');
  if (!existsSync(file)) return absent;
  try {
    const database = new LibSql(file, { readonly: true, timeout: 1_000 });
    try {
      return read(database);
    } finally {
      database.close();
    }
  } catch {
    // The database of another version of opencode may have different tables.
    return unreadable;
  }
}

/**
 * Returns the ids of at most 100 matching conversations, newest first. Subagents' conversations match only by id, not
 * by directory.
 */
function opencodeConversations(
  environment: Environment,
  wanted: { id: string } | { directory: string; since: number },
  unreadable: string[] = [],
): string[] {
  const [where, values] =
    'id' in wanted
      ? ['id = ?', [wanted.id]]
      : ['directory = ? and time_created >= ? and parent_id is null', [wanted.directory, wanted.since]];
  return withDatabase(
    environment,
    (database) => {
      const rows = database
        .prepare(`select id from session where ${where} order by time_created desc limit 100`)
        .all(...values);
      return (rows as { id: string }[]).map((row) => row.id);
    },
    [],
    unreadable,
  );
}

/**
 * Reads the rows updated since a time, oldest first. All times are milliseconds since the epoch. `readTo` is the update
 * time of the last row read; `more` is whether unread rows may remain.
 */
export function readOpencodeConversation(
  environment: Environment,
  id: string,
  since: number,
): { readings: TranscriptReading[]; readTo: number; more: boolean } {
  const rows = withDatabase(environment, (database) => rowsSince(database, id, since), []);
  return {
    readings: rows.map(({ createdAt, row, isNewest }) => {
      const { messages, usage, turnEnd } = readOpencodeRow(row);
      const dated = messages.map((message) => ({ ...message, at: message.at ?? asTimestamp(createdAt) }));
      return { messages: dated, usage, ...(isNewest && turnEnd !== undefined && { turnEnd }) };
    }),
    readTo: Math.max(since, ...rows.map(({ updatedAt }) => updatedAt)),
    more: rows.length >= TRANSCRIPT_ROWS_MAX,
  };
}

/** A row of the table `message` or `part`, with its JSON parsed. A part has the role of its message. */
export type OpencodeRow =
  | { table: 'message'; id: string; data: unknown }
  | { table: 'part'; id: string; role: 'user' | 'assistant'; data: unknown };

interface DatedRow {
  row: OpencodeRow;
  /** Creation time of the row's message; in a fork, the creation time of the original message. */
  createdAt: number;
  updatedAt: number;
  /**
   * Whether the row is a message that no later prompt follows. Only such a row can end the turn, because opencode may
   * rewrite rows of earlier responses.
   */
  isNewest: boolean;
}

function rowsSince(database: LibSql.Database, id: string, since: number): DatedRow[] {
  const statement = database.prepare(
    `select 'message' as source, m.id, m.data, m.data as message, m.time_updated as updated, m.time_created as created, m.time_created as messageCreated,
         not exists (select 1 from message n where n.session_id = m.session_id and n.time_created > m.time_created
           and json_extract(n.data, '$.role') = 'user') as newest
       from message m where m.session_id = ? and m.time_updated >= ?
     union all
     select 'part', p.id, p.data, m.data, p.time_updated, p.time_created, m.time_created, 0
       from part p join message m on m.id = p.message_id where p.session_id = ? and p.time_updated >= ?
     order by updated, created, id limit ?`,
  );
  const rows = statement.all(id, since, id, since, TRANSCRIPT_ROWS_MAX) as Record<string, unknown>[];
  return rows.map(({ source, id: rowId, data, message, updated, messageCreated, newest }) => {
    const common = { id: String(rowId), data: parseJson(String(data)) };
    const role = asFields(parseJson(String(message))).role === 'user' ? ('user' as const) : ('assistant' as const);
    const row: OpencodeRow =
      source === 'message' ? { ...common, table: 'message' } : { ...common, table: 'part', role };
    return { row, createdAt: Number(messageCreated), updatedAt: Number(updated), isNewest: Number(newest) === 1 };
  });
}

export function readOpencodeRow(row: OpencodeRow): TranscriptReading {
  const data = asFields(row.data);
  if (row.table === 'part') return { messages: messagesOf(row.id, row.role, data), usage: [] };
  if (data.role !== 'assistant') return { messages: [], usage: [] };
  const turnEnd = turnEndOf(data);
  const end = turnEnd === null ? {} : { turnEnd };
  if (data.tokens === undefined) return { messages: [], usage: [], ...end };
  const { input, output, reasoning, cache } = asFields(data.tokens);
  const { read, write } = asFields(cache);
  const usage = {
    nativeId: row.id,
    inputTokens: asCount(input) + asCount(write),
    outputTokens: asCount(output) + asCount(reasoning),
    cacheReadTokens: asCount(read),
    costUsd: typeof data.cost === 'number' ? data.cost : null,
  };
  return { messages: [], usage: [usage], ...end };
}

/**
 * Returns how the turn ended. Null if this response does not end it: an incomplete response, a response that calls
 * tools, or a summary.
 */
function turnEndOf({ time, finish, error, summary }: Fields): TurnEnd | null {
  if (asFields(time).completed === undefined || summary === true) return null;
  const { name, data } = asFields(error);
  if (name === 'MessageAbortedError') return INTERRUPTED;
  if (name !== undefined) return failedWith(asText(asFields(data).message) ?? asText(name));
  return finish === 'tool-calls' ? null : ANSWERED;
}

function messagesOf(nativeId: string, by: 'user' | 'assistant', data: Fields): TranscriptMessage[] {
  const role = by === 'user' ? 'user' : 'agent';
  const at = asTimestamp(asFields(data.time).start);
  const text = asText(data.text);
  // opencode adds synthetic text to a prompt, such as the content of files that the prompt names.
  if (data.type === 'text' && text !== null && data.synthetic !== true) {
    return [{ nativeId, role, kind: 'text', text, at }];
  }
  if (data.type === 'reasoning' && text !== null) return [{ nativeId, role, kind: 'thought', text, at }];
  if (data.type === 'tool') {
    const { input, time } = asFields(data.state);
    const called = toolCallText(data.tool, input);
    return [{ nativeId, role, kind: 'toolCall', text: called, at: asTimestamp(asFields(time).start) }];
  }
  return [];
}

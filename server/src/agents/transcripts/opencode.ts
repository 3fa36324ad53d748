import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { TRANSCRIPT_ROWS_MAX } from '@agent-console/shared/limits/transcripts';
import LibSql from 'libsql';
import type { Environment } from './files.ts';
import { type OpencodeRow, readOpencodeRow } from './opencode-rows.ts';
import { asFields, asMoment, type TranscriptReading } from './transcript.ts';

/**
 * opencode keeps conversations in a database of its own, which is only ever opened for reading. Its event port would say
 * the same, but would have to be opened to every local program for it.
 */
function withDatabase<T>(environment: Environment, read: (database: LibSql.Database) => T, otherwise: T): T {
  const data = environment.XDG_DATA_HOME ?? join(environment.HOME ?? homedir(), '.local', 'share');
  const file = join(data, 'opencode', 'opencode.db');
  if (!existsSync(file)) return otherwise;
  try {
    const database = new LibSql(file, { readonly: true, timeout: 1_000 });
    try {
      return read(database);
    } finally {
      database.close();
    }
  } catch {
    // Another version may keep them in other tables.
    return otherwise;
  }
}

/** Ids of conversations of people's or ours, not of helpers, that fit; newest first. */
export function opencodeConversations(
  environment: Environment,
  wanted: { id: string } | { directory: string; since: number },
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
  );
}

/**
 * What was said in a conversation since a moment (ms since 1970), oldest first. `readTo` is the moment of the newest of it,
 * `more` says that rows wait for the next call.
 */
export function readOpencodeConversation(
  environment: Environment,
  id: string,
  since: number,
): { readings: TranscriptReading[]; readTo: number; more: boolean } {
  const rows = withDatabase(environment, (database) => rowsSince(database, id, since), []);
  return {
    readings: rows.map(({ said, row, newest }) => {
      const { messages, usage, turnEnd } = readOpencodeRow(row);
      const dated = messages.map((message) => ({ ...message, at: message.at ?? asMoment(said) }));
      return { messages: dated, usage, ...(newest && turnEnd !== undefined ? { turnEnd } : {}) };
    }),
    readTo: Math.max(since, ...rows.map(({ updated }) => updated)),
    more: rows.length >= TRANSCRIPT_ROWS_MAX,
  };
}

interface DatedRow {
  row: OpencodeRow;
  /** When its message was made, in a copy the one of the original. */
  said: number;
  updated: number;
  /** Whether nobody prompted behind it: an earlier answer that is written again says nothing of the newest turn. */
  newest: boolean;
}

function rowsSince(database: LibSql.Database, id: string, since: number): DatedRow[] {
  const statement = database.prepare(
    `select 'message' as source, m.id, m.data, m.data as message, m.time_updated as updated, m.time_created as created, m.time_created as said,
         not exists (select 1 from message n where n.session_id = m.session_id and n.time_created > m.time_created
           and json_extract(n.data, '$.role') = 'user') as newest
       from message m where m.session_id = ? and m.time_updated >= ?
     union all
     select 'part', p.id, p.data, m.data, p.time_updated, p.time_created, m.time_created, 0
       from part p join message m on m.id = p.message_id where p.session_id = ? and p.time_updated >= ?
     order by updated, created, id limit ?`,
  );
  const rows = statement.all(id, since, id, since, TRANSCRIPT_ROWS_MAX) as Record<string, unknown>[];
  return rows.map(({ source, id: rowId, data, message, updated, said, newest }) => {
    const common = { id: String(rowId), data: parse(data) };
    const role = asFields(parse(message)).role === 'user' ? ('user' as const) : ('assistant' as const);
    const row: OpencodeRow =
      source === 'message' ? { ...common, table: 'message' } : { ...common, table: 'part', role };
    return { row, said: Number(said), updated: Number(updated), newest: Number(newest) === 1 };
  });
}

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}

import { and, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type {
  ApprovalRow,
  DelegationRow,
  EventRow,
  InputRow,
  MessageRow,
  NoticeRow,
  SessionMcpServerRow,
  SessionRow,
  TaskRow,
  TranscriptRow,
  UsageRow,
  WorkerRow,
} from '../operations/ports/rows.ts';
import type { Readers } from '../operations/ports/storage.ts';
import type { Connection } from './database.ts';
import * as schema from './schema.ts';
import { createSearch } from './search.ts';
import { createStore } from './store.ts';

/**
 * The stores as one user may read them: rows of other people's private sessions are not there, in pages, counts and
 * single look-ups alike. `sees` in domain/access.ts is the same rule for one session.
 */
export function createReadersOfUser(everything: Readers, connection: Connection): (userId: string) => Readers {
  const { db } = connection;
  const { sessions } = schema;
  return (userId) => {
    const visible = sql`(${sessions.visibility} <> 'private' or ${sessions.createdByUserId} is ${userId})`;
    // Spelled out, not bound, so that an index over the few private sessions serves it.
    const hidden = sql`(select ${sessions.id} from ${sessions} where ${sessions.visibility} = 'private' and ${sessions.createdByUserId} is not ${userId})`;
    const shown = (...columns: SQLiteColumn[]): SQL | undefined =>
      and(...columns.map((column) => or(isNull(column), sql`${column} not in ${hidden}`)));
    const { workers, tasks, notices, delegations, messages, transcripts, usage, approvals, events } = schema;
    const {
      repositories,
      worktrees,
      jobs,
      users,
      boards,
      zones,
      mcpServers,
      agents,
      tokens,
      settings,
      meta,
      idempotency,
    } = everything;
    // Named one by one: a store that is added does not compile until somebody has decided whose its rows are.
    return {
      ...{
        repositories,
        worktrees,
        jobs,
        users,
        boards,
        zones,
        mcpServers,
        agents,
        tokens,
        settings,
        meta,
        idempotency,
      },
      sessions: createStore<SessionRow>(db, sessions, 'id', visible),
      search: createSearch(connection, visible),
      workers: createStore<WorkerRow>(db, workers, 'id', shown(workers.sessionId)),
      tasks: createStore<TaskRow>(db, tasks, 'id', shown(tasks.sessionId)),
      inputs: createStore<InputRow>(
        db,
        schema.inputs,
        'id',
        sql`${schema.inputs.workerId} not in (select ${workers.id} from ${workers} where ${workers.sessionId} in ${hidden})`,
      ),
      notices: createStore<NoticeRow>(db, notices, 'id', shown(notices.sessionId, notices.aboutSessionId)),
      delegations: createStore<DelegationRow>(
        db,
        delegations,
        'id',
        shown(delegations.sessionId, delegations.parentSessionId),
      ),
      messages: createStore<MessageRow>(db, messages, 'id', shown(messages.sessionId)),
      transcripts: createStore<TranscriptRow>(db, transcripts, 'sessionId', shown(transcripts.sessionId)),
      usage: createStore<UsageRow>(db, usage, 'id', shown(usage.sessionId)),
      approvals: createStore<ApprovalRow>(db, approvals, 'id', shown(approvals.sessionId)),
      sessionMcpServers: createStore<SessionMcpServerRow>(
        db,
        schema.sessionMcpServers,
        'id',
        shown(schema.sessionMcpServers.sessionId),
      ),
      events: createStore<EventRow>(db, events, 'seq', shown(events.sessionId)),
    };
  };
}

import { and, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { SessionMcpServerRow } from '../ports/rows/agents.ts';
import type { MessageRow, TranscriptRow, UsageRow } from '../ports/rows/messages.ts';
import type { EventRow } from '../ports/rows/records.ts';
import type { SessionRow } from '../ports/rows/sessions.ts';
import type { DelegationRow, NoticeRow, TaskRow } from '../ports/rows/tasks.ts';
import type { ApprovalRow, InputRow, WorkerRow } from '../ports/rows/workers.ts';
import type { Readers } from '../ports/storage.ts';
import type { Connection } from './database.ts';
import { sessionMcpServers } from './schema/agents.ts';
import { messages, transcripts, usage } from './schema/messages.ts';
import { events } from './schema/records.ts';
import { sessions } from './schema/sessions.ts';
import { delegations, notices, tasks } from './schema/tasks.ts';
import { approvals, inputs, workers } from './schema/workers.ts';
import { createSearch } from './search.ts';
import { createStore } from './store.ts';

/**
 * The stores as one user may read them: rows of other people's private sessions are not there, in pages, counts and
 * single look-ups alike. `sees` in domain/access.ts is the same rule for one session.
 */
export function createReadersOfUser(everything: Readers, connection: Connection): (userId: string) => Readers {
  const { db } = connection;
  return (userId) => {
    const visible = sql`(${sessions.visibility} <> 'private' or ${sessions.createdByUserId} is ${userId})`;
    // Spelled out, not bound, so that an index over the few private sessions serves it.
    const hidden = sql`(select ${sessions.id} from ${sessions} where ${sessions.visibility} = 'private' and ${sessions.createdByUserId} is not ${userId})`;
    const shown = (...columns: SQLiteColumn[]): SQL | undefined =>
      and(...columns.map((column) => or(isNull(column), sql`${column} not in ${hidden}`)));
    // Named one by one: a store that is added does not compile until somebody has decided whose its rows are.
    return {
      repositories: everything.repositories,
      worktrees: everything.worktrees,
      jobs: everything.jobs,
      users: everything.users,
      boards: everything.boards,
      zones: everything.zones,
      mcpServers: everything.mcpServers,
      agents: everything.agents,
      tokens: everything.tokens,
      // Only the local owner reads it, who sees every session.
      audit: everything.audit,
      settings: everything.settings,
      meta: everything.meta,
      idempotency: everything.idempotency,
      sessions: createStore<SessionRow>(db, sessions, 'id', visible),
      search: createSearch(connection, visible),
      workers: createStore<WorkerRow>(db, workers, 'id', shown(workers.sessionId)),
      tasks: createStore<TaskRow>(db, tasks, 'id', shown(tasks.sessionId)),
      inputs: createStore<InputRow>(
        db,
        inputs,
        'id',
        sql`${inputs.workerId} not in (select ${workers.id} from ${workers} where ${workers.sessionId} in ${hidden})`,
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
        sessionMcpServers,
        'id',
        shown(sessionMcpServers.sessionId),
      ),
      events: createStore<EventRow>(db, events, 'seq', shown(events.sessionId)),
    };
  };
}

import { and, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Readers } from '../ports/storage.ts';
import type { Connection } from './database.ts';
import { sessionMcpServers } from './schema/agents.ts';
import { messages, transcripts, usage } from './schema/messages.ts';
import { orchestrationAgents, orchestrationAttempts, orchestrations } from './schema/orchestrations.ts';
import { marks } from './schema/people.ts';
import { events } from './schema/records.ts';
import { sessions } from './schema/sessions.ts';
import { delegations, notices, tasks } from './schema/tasks.ts';
import { approvals, inputs, workers } from './schema/workers.ts';
import { jobs } from './schema/worktrees.ts';
import { createSearch } from './search.ts';
import { createStore } from './store.ts';

/**
 * Returns a function that creates the stores that one user may read. Lists, counts and single look-ups leave out rows
 * that belong to private sessions of other users. `canSee` in domain/access.ts applies the same rule to one session.
 */
export function createReadersOfUser(everything: Readers, connection: Connection): (userId: string) => Readers {
  const { db } = connection;
  return (userId) => {
    const visible = sql`(${sessions.visibility} <> 'private' or ${sessions.createdByUserId} is ${userId})`;
    // The literal 'private' instead of a parameter allows SQLite to use the partial index over private sessions.
    const hidden = sql`(select ${sessions.id} from ${sessions} where ${sessions.visibility} = 'private' and ${sessions.createdByUserId} is not ${userId})`;
    const notHidden = (...columns: SQLiteColumn[]): SQL | undefined =>
      and(...columns.map((column) => or(isNull(column), sql`${column} not in ${hidden}`)));
    // Most jobs belong to a worktree or repository, which everybody sees. A dry run is visible to the user who started
    // it or, if a session started it, to everybody who sees that session. The job of a delegation is as visible as the
    // delegation. A job that quotes a session is as visible as that session.
    const parameter = (name: string) => sql`json_extract(${jobs.params}, ${`$.${name}`})`;
    const dryRunOfOthers = sql`(${parameter('dryRun')} is 1 and ${jobs.actor} <> ${`user:${userId}`} and ${jobs.actor} not in (select 'session:' || ${sessions.id} from ${sessions} where ${visible}))`;
    const hiddenDelegations = sql`(select ${delegations.id} from ${delegations} where ${delegations.sessionId} in ${hidden} or ${delegations.parentSessionId} in ${hidden})`;
    const names = (name: string, ids: SQL) => sql`(${parameter(name)} is not null and ${parameter(name)} in ${ids})`;
    const hiddenJobs = or(dryRunOfOthers, names('delegationId', hiddenDelegations), names('quotedSessionId', hidden));
    // Every store is listed here, so that a new store does not compile until its read access is defined.
    return {
      repositories: everything.repositories,
      worktrees: everything.worktrees,
      jobs: createStore(db, jobs, sql`not (${hiddenJobs})`),
      worktreeChecks: everything.worktreeChecks,
      integrations: everything.integrations,
      overlaps: everything.overlaps,
      orchestrations: createStore(db, orchestrations, notHidden(orchestrations.createdBySessionId)),
      orchestrationAgents: createStore(db, orchestrationAgents, notHidden(orchestrationAgents.sessionId)),
      orchestrationDefinitions: everything.orchestrationDefinitions,
      orchestrationAttempts: createStore(db, orchestrationAttempts, notHidden(orchestrationAttempts.sessionId)),
      users: everything.users,
      marks: createStore(db, marks, notHidden(marks.subjectId)),
      boards: everything.boards,
      zones: everything.zones,
      mcpServers: everything.mcpServers,
      agents: everything.agents,
      tokens: everything.tokens,
      // The audit log is not filtered, because only the local owner may read it, and the local owner may read every
      // session.
      audit: everything.audit,
      settings: everything.settings,
      meta: everything.meta,
      idempotency: everything.idempotency,
      sessions: createStore(db, sessions, visible),
      search: createSearch(connection, visible),
      workers: createStore(db, workers, notHidden(workers.sessionId)),
      tasks: createStore(db, tasks, notHidden(tasks.sessionId)),
      inputs: createStore(
        db,
        inputs,
        sql`${inputs.workerId} not in (select ${workers.id} from ${workers} where ${workers.sessionId} in ${hidden})`,
      ),
      notices: createStore(db, notices, notHidden(notices.sessionId, notices.aboutSessionId)),
      delegations: createStore(db, delegations, notHidden(delegations.sessionId, delegations.parentSessionId)),
      messages: createStore(db, messages, notHidden(messages.sessionId)),
      transcripts: createStore(db, transcripts, notHidden(transcripts.sessionId)),
      usage: createStore(db, usage, notHidden(usage.sessionId)),
      approvals: createStore(db, approvals, notHidden(approvals.sessionId)),
      sessionMcpServers: createStore(db, sessionMcpServers, notHidden(sessionMcpServers.sessionId)),
      events: createStore(db, events, notHidden(events.sessionId)),
    };
  };
}

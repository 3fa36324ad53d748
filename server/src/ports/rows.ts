import type { agents, mcpServers, sessionMcpServers } from '../storage/schema/agents.ts';
import type { boards, zones } from '../storage/schema/boards.ts';
import type { messages, transcripts, usage } from '../storage/schema/messages.ts';
import type {
  orchestrationAgents,
  orchestrationAttempts,
  orchestrationDefinitions,
  orchestrations,
} from '../storage/schema/orchestrations.ts';
import type { marks, tokens, users } from '../storage/schema/people.ts';
import type { audit, events, idempotency } from '../storage/schema/records.ts';
import type { sessions } from '../storage/schema/sessions.ts';
import type { delegations, notices, tasks } from '../storage/schema/tasks.ts';
import type { approvals, inputs, workers } from '../storage/schema/workers.ts';
import type {
  integrations,
  jobs,
  overlaps,
  repositories,
  worktreeChecks,
  worktrees,
} from '../storage/schema/worktrees.ts';

/** Types of rows that stores return and insert. The columns are declared and documented only in storage/schema/. */

/** The columns of a table, all of which can be used in filters. */
export type ColumnsOf<Table extends { $inferSelect: object }> = Table['$inferSelect'];

/**
 * A row as stores return it. The columns that name the author are left out, because no response contains them. The
 * transaction sets them on every insert.
 */
export type RowOf<Table extends { $inferSelect: object }> = 'createdBy' extends keyof ColumnsOf<Table>
  ? Omit<ColumnsOf<Table>, 'createdBy' | 'viaSessionId'>
  : ColumnsOf<Table>;

/** A row as stores insert it, without author columns. Columns that are nullable or have a default can be left out. */
export type NewRowOf<Table extends { $inferInsert: object }> = 'createdBy' extends keyof Table['$inferInsert']
  ? Omit<Table['$inferInsert'], 'createdBy' | 'viaSessionId'>
  : Table['$inferInsert'];

/** The drizzle table of each store. A table and its store have the same name. */
export interface Tables {
  repositories: typeof repositories;
  worktrees: typeof worktrees;
  sessions: typeof sessions;
  workers: typeof workers;
  tasks: typeof tasks;
  inputs: typeof inputs;
  notices: typeof notices;
  delegations: typeof delegations;
  jobs: typeof jobs;
  worktreeChecks: typeof worktreeChecks;
  integrations: typeof integrations;
  overlaps: typeof overlaps;
  orchestrations: typeof orchestrations;
  orchestrationAgents: typeof orchestrationAgents;
  orchestrationAttempts: typeof orchestrationAttempts;
  orchestrationDefinitions: typeof orchestrationDefinitions;
  messages: typeof messages;
  transcripts: typeof transcripts;
  usage: typeof usage;
  approvals: typeof approvals;
  users: typeof users;
  marks: typeof marks;
  boards: typeof boards;
  zones: typeof zones;
  mcpServers: typeof mcpServers;
  sessionMcpServers: typeof sessionMcpServers;
  agents: typeof agents;
  tokens: typeof tokens;
}

export type NewRow<Name extends keyof Tables> = NewRowOf<Tables[Name]>;

export type RepositoryRow = RowOf<typeof repositories>;
export type WorktreeRow = RowOf<typeof worktrees>;
export type SessionRow = RowOf<typeof sessions>;
export type WorkerRow = RowOf<typeof workers>;
export type TaskRow = RowOf<typeof tasks>;
export type InputRow = RowOf<typeof inputs>;
export type NoticeRow = RowOf<typeof notices>;
export type DelegationRow = RowOf<typeof delegations>;
export type JobRow = RowOf<typeof jobs>;
export type WorktreeCheckRow = RowOf<Tables['worktreeChecks']>;
export type IntegrationRow = RowOf<typeof integrations>;
export type OverlapRow = RowOf<typeof overlaps>;
export type OrchestrationRow = RowOf<typeof orchestrations>;
export type OrchestrationAttemptRow = RowOf<typeof orchestrationAttempts>;
export type OrchestrationAgentRow = RowOf<typeof orchestrationAgents>;
export type MessageRow = RowOf<typeof messages>;
export type TranscriptRow = RowOf<typeof transcripts>;
export type UsageRow = RowOf<typeof usage>;
export type ApprovalRow = RowOf<typeof approvals>;
export type UserRow = RowOf<typeof users>;
export type MarkRow = RowOf<typeof marks>;
export type BoardRow = RowOf<typeof boards>;
export type ZoneRow = RowOf<typeof zones>;
export type McpServerRow = RowOf<typeof mcpServers>;
export type AgentRow = RowOf<typeof agents>;
export type TokenRow = RowOf<typeof tokens>;
export type EventRow = RowOf<typeof events>;
export type AuditRow = RowOf<typeof audit>;
export type IdempotencyRow = RowOf<typeof idempotency>;

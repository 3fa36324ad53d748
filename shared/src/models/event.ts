import * as v from 'valibot';
import { Timestamp } from '../time.ts';

/** The closed catalogue. Each is `<noun>.<past participle>`; worker and activity events carry `logOffset` in `data`. */
export const EVENT_TYPES = [
  'server.started',
  'server.crashed',
  'runner.lost',
  'repository.registered',
  'repository.updated',
  'repository.removed',
  'worktree.created',
  'worktree.failed',
  'worktree.updated',
  'worktree.removed',
  'worktree.restored',
  'board.created',
  'board.updated',
  'board.duplicated',
  'board.removed',
  'zone.created',
  'zone.updated',
  'zone.removed',
  'job.started',
  'job.succeeded',
  'job.failed',
  'session.created',
  'session.forked',
  'session.spawned',
  'session.updated',
  'session.paused',
  'session.resumed',
  'session.kept',
  'session.stopped',
  'session.archived',
  'session.unarchived',
  'session.removed',
  'conversation.grown',
  'worker.started',
  'worker.exited',
  'worker.lost',
  'activity.changed',
  'task.queued',
  'task.moved',
  'task.started',
  'task.progressed',
  'task.waiting',
  'task.ended',
  'input.accepted',
  'input.blocked',
  'input.uncertain',
  'approval.requested',
  'approval.updated',
  'approval.answered',
  'approval.withdrawn',
  'delegation.requested',
  'delegation.advanced',
  'delegation.rejected',
  'notice.created',
  'notice.delivered',
  'agent.created',
  'agent.updated',
  'agent.removed',
  'agent.checked',
  'token.created',
  'token.revoked',
  'user.created',
  'user.updated',
  'user.removed',
  'mcpServer.created',
  'mcpServer.updated',
  'mcpServer.removed',
  'settings.updated',
] as const;

export const EventType = v.picklist(EVENT_TYPES);
export type EventType = v.InferOutput<typeof EventType>;

/** Names under which the designs that callers were written for know some events; shown beside the type on every stream. */
const EVENT_ALIASES: Partial<Record<EventType, string>> = {
  'worktree.created': 'worktree-creation-completed',
  'worktree.failed': 'worktree-creation-failed',
  'session.forked': 'genealogy',
  'session.spawned': 'genealogy',
  'session.updated': 'sessions patched',
};

/** The other name of an event; the end of a prompt is one of genealogy where the session was spawned or forked. */
export function aliasOf(type: EventType, data: Record<string, unknown>): string | undefined {
  if (type === 'task.ended' && 'childSessionId' in data) return 'genealogy';
  return EVENT_ALIASES[type];
}

export const SubjectKind = v.picklist([
  'server',
  'runner',
  'repository',
  'worktree',
  'board',
  'zone',
  'job',
  'session',
  'worker',
  'task',
  'delegation',
  'notice',
  'approval',
  'agent',
  'token',
  'user',
  'mcpServer',
  'settings',
]);
export type SubjectKind = v.InferOutput<typeof SubjectKind>;

/** A recorded fact with a sequence number that only grows. */
export const ConsoleEvent = v.object({
  seq: v.number(),
  at: Timestamp,
  type: EventType,
  alias: v.optional(v.string()),
  subject: v.object({ kind: SubjectKind, id: v.string() }),
  /** `user:<id>`, `session:<id>` or `system`. */
  actor: v.string(),
  viaSessionId: v.optional(v.string()),
  data: v.record(v.string(), v.unknown()),
});
export type ConsoleEvent = v.InferOutput<typeof ConsoleEvent>;

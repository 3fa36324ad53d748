import { ConsoleError } from '@agent-console/shared/errors';
import { depthOfDelegation, PREPARING } from '../domain/delegation.ts';
import { LIVE_WORKER } from '../domain/states.ts';
import { OPEN_STATUSES } from '../domain/tasks.ts';
import type { DelegationRow, SessionRow } from '../ports/rows.ts';
import type { Readers } from '../ports/storage.ts';
import type { OperationContext } from './operation.ts';

type Counted = Pick<Readers, 'workers' | 'delegations' | 'sessions' | 'tasks' | 'orchestrationAgents'>;

/**
 * Returns the depth of a new child of `parent`; 0 for a session that a person creates. Must be called in the transaction
 * that inserts the session, so that parallel calls cannot exceed a limit together.
 * @throws LIMIT_EXCEEDED, see `depthOfDelegation`.
 */
export async function depthWithinLimits(
  read: Counted,
  context: OperationContext,
  parent: Pick<SessionRow, 'id' | 'depth'> | null,
  orchestrationId?: string,
): Promise<number> {
  const { delegationDepth, delegationChildren, liveSessions } = await context.settings.current();
  const openChildren = parent === null ? [] : await openChildrenOf(read, parent.id);
  const workers = await read.workers.find(LIVE_WORKER);
  const preparing = await read.delegations.find({ state: [...PREPARING] });
  // A session that is being prepared and already has a worker counts twice for a moment.
  const sessions = new Set(workers.map((worker) => worker.sessionId));
  const starting = orchestrationId === undefined ? [] : await startingAgents(read, orchestrationId, preparing);
  const live = sessions.size + preparing.length + starting.filter((id) => !sessions.has(id)).length;
  return depthOfDelegation(
    { callerDepth: parent?.depth ?? null, openChildren, liveSessions: live },
    { depth: delegationDepth, children: delegationChildren, liveSessions },
  );
}

/**
 * Like `depthWithinLimits`, but the agents of a person's orchestration have depth 1, because the orchestration counts
 * as the level above them.
 */
export async function depthOfNew(
  read: Counted,
  context: OperationContext,
  parent: Pick<SessionRow, 'id' | 'depth'> | null,
  orchestrationId: string | undefined,
): Promise<number> {
  const depth = await depthWithinLimits(read, context, parent, orchestrationId);
  return parent === null && orchestrationId !== undefined ? 1 : depth;
}

/**
 * Returns the sessions of an orchestration's running agents that no delegation is preparing. In a shared worktree, such
 * a session exists for a moment before its worker.
 */
async function startingAgents(
  read: Counted,
  orchestrationId: string,
  preparing: readonly Pick<DelegationRow, 'sessionId'>[],
): Promise<string[]> {
  const counted = new Set(preparing.map(({ sessionId }) => sessionId));
  const running = await read.orchestrationAgents.find({ orchestrationId, state: 'running' });
  return running.flatMap(({ sessionId }) => (sessionId === null || counted.has(sessionId) ? [] : [sessionId]));
}

async function openChildrenOf(read: Counted, sessionId: string): Promise<string[]> {
  const children = await read.sessions.find({ createdBySessionId: sessionId, removedAt: null });
  const ids = children.map((child) => child.id);
  if (ids.length === 0) return [];
  const open = await read.tasks.find({ sessionId: ids, kind: 'prompt', status: [...OPEN_STATUSES] });
  return [...new Set(open.map((task) => task.sessionId))];
}

/** @throws RUNNER_UNAVAILABLE while no process can be started or reached. */
export function refuseWithoutRunner({ runner }: OperationContext): void {
  if (!runner.gone) return;
  throw new ConsoleError(
    'RUNNER_UNAVAILABLE',
    'The runner is gone, so no agent can be started or reached. A person must run `agent-console serve` to start a new runner.',
    {},
    { retryable: false },
  );
}

/**
 * Rejects the call unless the session is live, or may become live within the limits.
 * @throws LIMIT_EXCEEDED at the `liveSessions` setting, RUNNER_UNAVAILABLE without a runner.
 */
export async function refuseUnlessMayLive(context: OperationContext, sessionId: string): Promise<void> {
  refuseWithoutRunner(context);
  const live = await context.views.liveSessionIds();
  const { liveSessions } = await context.settings.current();
  if (live.length < liveSessions || live.includes(sessionId)) return;
  throw new ConsoleError(
    'LIMIT_EXCEEDED',
    `${live.length} sessions are live, and at most ${liveSessions} are allowed (setting liveSessions). Stop or pause one first.`,
    { limit: 'liveSessions', value: liveSessions },
  );
}

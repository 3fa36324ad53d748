import { ConsoleError } from '@agent-console/shared/errors';
import { depthOfDelegation, PREPARING } from '../domain/delegation.ts';
import { LIVE_WORKER } from '../domain/states.ts';
import { OPEN_STATUSES } from '../domain/tasks.ts';
import type { SessionRow } from '../ports/rows.ts';
import type { Transaction } from '../ports/storage.ts';
import type { OperationContext } from './operation.ts';

/**
 * Returns the depth of a new child of `parent`; 0 for a session that a person creates. Must be called in the transaction
 * that inserts the session, so that parallel calls cannot exceed a limit together.
 * @throws LIMIT_EXCEEDED, see `depthOfDelegation`.
 */
export async function depthWithinLimits(
  tx: Transaction,
  context: OperationContext,
  parent: Pick<SessionRow, 'id' | 'depth'> | null,
): Promise<number> {
  const { delegationDepth, delegationChildren, liveSessions } = await context.settings.current();
  const openChildren = parent === null ? [] : await openChildrenOf(tx, parent.id);
  const workers = await tx.workers.find(LIVE_WORKER);
  const preparing = await tx.delegations.count({ state: [...PREPARING] });
  const live = new Set(workers.map((worker) => worker.sessionId)).size + preparing;
  return depthOfDelegation(
    { callerDepth: parent?.depth ?? null, openChildren, liveSessions: live },
    { depth: delegationDepth, children: delegationChildren, liveSessions },
  );
}

/**
 * Like `depthWithinLimits`. The agents of a person's orchestration have depth 1, because the orchestration itself stands
 * above them.
 */
export async function depthOfNew(
  tx: Transaction,
  context: OperationContext,
  parent: Pick<SessionRow, 'id' | 'depth'> | null,
  orchestrationId: string | undefined,
): Promise<number> {
  const depth = await depthWithinLimits(tx, context, parent);
  return parent === null && orchestrationId !== undefined ? 1 : depth;
}

async function openChildrenOf(tx: Transaction, sessionId: string): Promise<string[]> {
  const children = await tx.sessions.find({ createdBySessionId: sessionId, removedAt: null });
  const ids = children.map((child) => child.id);
  if (ids.length === 0) return [];
  const open = await tx.tasks.find({ sessionId: ids, kind: 'prompt', status: [...OPEN_STATUSES] });
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

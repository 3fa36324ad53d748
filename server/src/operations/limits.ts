import { ConsoleError } from '@agent-console/shared/errors';
import { depthOfDelegation, PREPARING } from '../domain/delegation.ts';
import { OPEN_STATUSES } from '../domain/tasks.ts';
import type { SessionRow } from '../ports/rows/sessions.ts';
import type { Transaction } from '../ports/storage.ts';
import type { OperationContext } from './operation.ts';

/** Counts inside the transaction that adds to them, so that parallel calls cannot pass a limit together. */
export async function depthWithinLimits(
  tx: Transaction,
  context: OperationContext,
  parent: Pick<SessionRow, 'id' | 'depth'> | null,
): Promise<number> {
  const { delegationDepth, delegationChildren, liveSessions } = await context.settings.current();
  const openChildren = parent === null ? [] : await openChildrenOf(tx, parent.id);
  const workers = await tx.workers.find({ state: ['starting', 'running'], type: ['agent', 'terminal'] });
  const coming = await tx.delegations.count({ state: [...PREPARING] });
  const live = new Set(workers.map((worker) => worker.sessionId)).size + coming;
  return depthOfDelegation(
    { callerDepth: parent?.depth ?? null, openChildren, liveSessions: live },
    { depth: delegationDepth, children: delegationChildren, liveSessions },
  );
}

async function openChildrenOf(tx: Transaction, sessionId: string): Promise<string[]> {
  const children = await tx.sessions.find({ createdBySessionId: sessionId, removedAt: null });
  const ids = children.map((child) => child.id);
  if (ids.length === 0) return [];
  const open = await tx.tasks.find({ sessionId: ids, kind: 'prompt', status: [...OPEN_STATUSES] });
  return [...new Set(open.map((task) => task.sessionId))];
}

/** Refuses what must start or reach a process, before anything of it is stored, while there is nobody to do that. */
export function refuseWithoutRunner({ runner }: OperationContext): void {
  if (!runner.gone) return;
  throw new ConsoleError(
    'RUNNER_UNAVAILABLE',
    'The runner is gone, so no agent can be started or reached until a person runs `agent-console serve`, which starts the next one.',
    {},
    { retryable: false },
  );
}

/**
 * Refuses to make one more session live beyond the total; a session that lives already is not one more. Without a runner
 * none can be.
 */
export async function refuseUnlessMayLive(context: OperationContext, sessionId: string): Promise<void> {
  refuseWithoutRunner(context);
  const live = await context.views.liveSessionIds();
  const { liveSessions } = await context.settings.current();
  if (live.length < liveSessions || live.includes(sessionId)) return;
  throw new ConsoleError(
    'LIMIT_EXCEEDED',
    `${live.length} sessions are live in this console (setting liveSessions: ${liveSessions}). Stop or pause one first.`,
    { limit: 'liveSessions', value: liveSessions },
  );
}

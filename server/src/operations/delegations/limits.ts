import { depthOfDelegation, PREPARING } from '../../domain/delegation.ts';
import { OPEN_STATUSES } from '../../domain/tasks.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';

/** Counts inside the transaction that adds to them, so that parallel calls cannot pass a limit together. */
export async function depthWithinLimits(
  tx: Transaction,
  needs: Pick<OperationContext, 'settings'>,
  parent: Pick<SessionRow, 'id' | 'depth'> | null,
): Promise<number> {
  const { delegationDepth, delegationChildren, liveSessions } = await needs.settings.current();
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

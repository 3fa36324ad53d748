import { APPROVAL_CUT_CHARS } from '@agent-console/shared/limits/approvals';
import type { EventType } from '@agent-console/shared/models/event';
import type { EventDataOf } from '@agent-console/shared/models/event-data';
import type { ApprovalRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { about } from './subjects.ts';
import type { ChangeDeps } from './task-changes.ts';

/** Withdraws a question, even while an answer to it is being typed. */
export async function withdraw(tx: Transaction, deps: ChangeDeps, row: ApprovalRow): Promise<void> {
  const patch = { state: 'withdrawn', optionId: null, answeredBy: null, endedAt: deps.now().toISOString() } as const;
  await tx.approvals.update(row.id, patch);
  await recordApproval(tx, 'approval.withdrawn', { ...row, ...patch });
}

/**
 * Records an event about an approval. The event contains only the start of the text, because events are retained and
 * sent to many clients.
 */
export async function recordApproval(
  tx: Transaction,
  type: Extract<EventType, `approval.${string}`>,
  row: ApprovalRow,
  more: EventDataOf<typeof type> = {},
): Promise<void> {
  const { kind, workerId, taskId, tool, options, source, state, logOffset } = row;
  const text = row.text.slice(0, APPROVAL_CUT_CHARS);
  const asker = workerId === null ? {} : { workerId };
  const data = { kind, ...asker, taskId, text, tool, options, source, state, logOffset, ...more };
  await tx.record({ type, ...about('approval', row), data });
}

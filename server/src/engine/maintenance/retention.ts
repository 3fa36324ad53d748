import { LOGIN_UNUSED_MS } from '@agent-console/shared/limits/access';
import { IDEMPOTENCY_KEY_MS } from '@agent-console/shared/limits/calls';
import { CHANGES_KEPT_MS, EVENTS_KEPT, EVENTS_KEPT_MS } from '@agent-console/shared/limits/records';
import { JobKind } from '@agent-console/shared/models/job';
import type { Transaction } from '../../ports/storage.ts';

/**
 * Kinds of jobs whose old rows are removed. Jobs that created a worktree remain: they record which agent may change the
 * worktree, and count towards that agent's limit.
 */
const REMOVED_JOBS = JobKind.options.filter((kind) => kind !== 'worktree-creation');

/** Removes records that exceed their maximum age or number. @param lastSeq number of the newest event. */
export async function removeOldRecords(tx: Transaction, now: Date, lastSeq: number): Promise<void> {
  const ago = (ms: number) => new Date(now.getTime() - ms).toISOString();
  const eventsAt = ago(EVENTS_KEPT_MS);
  await tx.prune({ eventSeq: lastSeq - EVENTS_KEPT, eventsAt, idempotencyAt: ago(IDEMPOTENCY_KEY_MS) });
  await tx.approvals.remove({ endedAt: { below: eventsAt } });
  // A login is removed only LOGIN_UNUSED_MS after it expires. Until then, the browser receives the error that the login
  // has expired.
  await tx.tokens.remove({ login: true, expiresAt: { below: ago(LOGIN_UNUSED_MS) } });
  const ended = { endedAt: { below: ago(CHANGES_KEPT_MS) } };
  await tx.integrations.remove({ ...ended, undoing: false });
  await tx.worktreeChecks.remove(ended);
  await tx.jobs.remove({ ...ended, kind: REMOVED_JOBS });
}

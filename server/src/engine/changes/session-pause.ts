import type { SessionRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { aboutSession } from './subjects.ts';
import type { ChangeDeps } from './task-changes.ts';

/** Pauses an idle session. A session that is marked completed or failed keeps its mark. */
export async function pauseForIdleness(
  tx: Transaction,
  { now }: Pick<ChangeDeps, 'now'>,
  session: Pick<SessionRow, 'id' | 'mark'>,
): Promise<void> {
  const isOpen = session.mark === 'open';
  const mark = isOpen ? 'paused' : session.mark;
  await tx.sessions.update(session.id, { mark, pausedBy: 'idle', updatedAt: now().toISOString() });
  const type = isOpen ? 'session.paused' : 'session.updated';
  await tx.record({ type, ...aboutSession(session.id), data: { pausedBy: 'idle' } });
}

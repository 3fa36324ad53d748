import type { SessionStatus } from '@agent-console/shared/models/session';
import { ACTIVE_STATUSES } from '../../domain/tasks.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { Readers, Where } from '../../ports/storage.ts';

/** What rows of sessions have that are shown with this status: the same rule as for one session, as a question. */
export async function statusFilter(read: Pick<Readers, 'tasks'>, status: SessionStatus): Promise<Where<SessionRow>> {
  if (status === 'paused' || status === 'stopped') return { mark: status };
  const active = await read.tasks.find({ status: [...ACTIVE_STATUSES] });
  const running = new Set(active.filter((task) => task.status === 'running').map(({ sessionId }) => sessionId));
  const waiting = new Set(active.map(({ sessionId }) => sessionId).filter((id) => !running.has(id)));
  switch (status) {
    case 'running':
      return { mark: ['open', 'completed', 'failed'], id: [...running] };
    case 'awaiting_input':
      return { mark: ['open', 'completed', 'failed'], id: [...waiting] };
    default:
      return { mark: status === 'idle' ? 'open' : status, id: { not: [...running, ...waiting] } };
  }
}

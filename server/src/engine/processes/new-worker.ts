import type { NewRow, SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';

/** Creates the row of a worker whose process has not been started. */
export function newWorkerRow(
  deps: Pick<ChangeDeps, 'now'>,
  session: Pick<SessionRow, 'id' | 'agentId'>,
  plan: Pick<WorkerRow, 'id' | 'type' | 'cols' | 'rows'> &
    Partial<Pick<WorkerRow, 'clientServers' | 'agentWorkerId' | 'outputLimit'>>,
): NewRow<'workers'> {
  const createdAt = deps.now().toISOString();
  const agentId = plan.type === 'agent' ? session.agentId : null;
  return { ...plan, sessionId: session.id, agentId, activitySince: createdAt, createdAt };
}

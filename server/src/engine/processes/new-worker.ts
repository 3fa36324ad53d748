import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { ChangeDeps } from '../task-changes.ts';

/** Creates the row of a worker whose process has not been started. */
export function newWorkerRow(
  deps: Pick<ChangeDeps, 'now'>,
  session: SessionRow,
  plan: { id: string; type: WorkerRow['type']; cols: number; rows: number },
): WorkerRow {
  const at = deps.now().toISOString();
  return {
    ...plan,
    sessionId: session.id,
    agentId: plan.type === 'agent' ? session.agentId : null,
    pid: null,
    startTime: null,
    state: 'starting',
    exitCode: null,
    signal: null,
    activityState: 'unknown',
    activitySource: 'process',
    activitySince: at,
    confidence: 'guess',
    disputed: [],
    permissionMode: null,
    logOffset: 0,
    scanOffset: 0,
    signalsOffset: 0,
    lastActiveOffset: -1,
    lastIdleOffset: -1,
    lastAskingOffset: -1,
    dirtySince: null,
    warnings: [],
    createdAt: at,
    endedAt: null,
  };
}

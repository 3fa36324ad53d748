import { BRANCH_SYNC_SECONDS } from '@agent-console/shared/limits/calls';
import type { TaskStatus } from '@agent-console/shared/models/task';
import { isOpen } from '../../domain/tasks.ts';
import { withDeadline } from '../../engine/timeouts.ts';
import type { OperationContext } from '../context.ts';

export interface WorkEnd {
  status: TaskStatus;
  summary: string | null;
  timedOut?: true;
}

/** How a task ended and what was said last, or how it stands when the time (`limitMs`) is over or the caller gone. */
export async function workEnd(
  {
    storage,
    hub,
  }: { storage: Pick<OperationContext['storage'], 'read'>; hub: Pick<OperationContext['hub'], 'onEvents'> },
  taskId: string,
  signal: AbortSignal,
  limitMs: number = BRANCH_SYNC_SECONDS * 1_000,
): Promise<WorkEnd> {
  const over = withDeadline(signal, limitMs);
  let stop = () => {};
  await new Promise<void>((resolve, reject) => {
    stop = hub.onEvents((events) => {
      if (events.some(({ event }) => event.type === 'task.ended' && event.subject.id === taskId)) resolve();
    });
    over.signal.addEventListener('abort', () => resolve(), { once: true });
    storage.read.tasks.get(taskId).then((task) => {
      if (task === undefined || !isOpen(task.status) || over.signal.aborted) resolve();
    }, reject);
  }).finally(() => {
    stop();
    over.release();
  });
  const task = await storage.read.tasks.get(taskId);
  // A session can be removed while its work is waited for.
  if (task === undefined) return { status: 'interrupted', summary: null };
  const { status } = task;
  const summary = task.summary ?? task.errorMessage;
  return isOpen(status) ? { status, summary, timedOut: true } : { status, summary };
}

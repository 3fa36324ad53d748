import { withDeadline } from '@agent-console/shared/deadline';
import { notFound } from '@agent-console/shared/errors';
import { BRANCH_SYNC_SECONDS } from '@agent-console/shared/limits/calls';
import type { TaskStatus } from '@agent-console/shared/models/task';
import { currentTask, summarizeTask } from '@agent-console/shared/operations/session-views';
import type { InputOf, OutputOf } from '@agent-console/shared/operations/table';
import { isOpen } from '../../domain/tasks.ts';
import type { Implementation, Implementations, OperationContext } from '../operation.ts';

type Answer = OutputOf<'sessions.wait'>;

/**
 * Returns the response to the call: the current state of the session, and whether it has reached `until`.
 * @throws NOT_FOUND if the session no longer exists, for example because its delegation failed.
 */
async function readState(
  { storage, views }: OperationContext,
  sessionId: string,
  until: InputOf<'sessions.wait'>['until'],
): Promise<Answer> {
  const row = await storage.read.sessions.get(sessionId);
  if (row === undefined) throw notFound('Session', sessionId);
  const tasks = await views.tasksOf(sessionId);
  const agent = await storage.read.workers.first({ sessionId, type: 'agent' }, { order: ['-id'] });
  const activityState = agent?.activityState ?? 'unknown';
  const finished = !tasks.some((task) => isOpen(task.status));
  const reached = until === 'finished' ? finished : activityState === until;
  const task = currentTask(tasks);
  return {
    sessionId,
    reached: reached ? until : null,
    stillRunning: !finished,
    ...(task === undefined ? {} : { task: summarizeTask(task) }),
    activityState,
  };
}

/** Returns a promise, and the function that resolves it. */
function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function waitForSession(context: OperationContext): Implementation<'sessions.wait'> {
  return async ({ sessionId, until, timeoutSeconds }, call) => {
    const { signal: timeout, release } = withDeadline(call.signal, timeoutSeconds * 1_000);
    let changed = deferred();
    const stop = context.hub.onEvents((events) => {
      if (events.some((event) => event.sessionId === sessionId)) changed.resolve();
    });
    const aborted = new Promise<void>((resolve) => timeout.addEventListener('abort', () => resolve(), { once: true }));
    try {
      for (;;) {
        changed = deferred();
        const answer = await readState(context, sessionId, until);
        if (answer.reached !== null || timeout.aborted) {
          // The conversation is ingested before the call returns, because callers usually read its messages next.
          await context.scanner.scan(sessionId).catch(() => undefined);
          return answer;
        }
        await Promise.race([changed.promise, aborted]);
      }
    } finally {
      stop();
      release();
    }
  };
}

export interface TaskEnd {
  status: TaskStatus;
  summary: string | null;
  timedOut?: true;
}

/**
 * Waits until a task has ended, `limitMs` have passed, or the caller disconnects. Returns the task's status and
 * summary.
 */
export async function waitForTaskEnd(
  {
    storage,
    hub,
  }: { storage: Pick<OperationContext['storage'], 'read'>; hub: Pick<OperationContext['hub'], 'onEvents'> },
  taskId: string,
  signal: AbortSignal,
  limitMs: number = BRANCH_SYNC_SECONDS * 1_000,
): Promise<TaskEnd> {
  const timeout = withDeadline(signal, limitMs);
  let stop = () => {};
  await new Promise<void>((resolve, reject) => {
    stop = hub.onEvents((events) => {
      if (events.some(({ event }) => event.type === 'task.ended' && event.subject.id === taskId)) resolve();
    });
    timeout.signal.addEventListener('abort', () => resolve(), { once: true });
    storage.read.tasks.get(taskId).then((task) => {
      if (task === undefined || !isOpen(task.status) || timeout.signal.aborted) resolve();
    }, reject);
  }).finally(() => {
    stop();
    timeout.release();
  });
  const task = await storage.read.tasks.get(taskId);
  // If the task no longer exists, its session was removed, which also ended the task.
  if (task === undefined) return { status: 'interrupted', summary: null };
  const { status } = task;
  const summary = task.summary ?? task.errorMessage;
  return isOpen(status) ? { status, summary, timedOut: true } : { status, summary };
}

export function sessionWaiting(context: OperationContext) {
  return {
    'sessions.wait': waitForSession(context),
  } satisfies Partial<Implementations>;
}

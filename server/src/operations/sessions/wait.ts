import { notFound } from '@agent-console/shared/errors';
import { BRANCH_SYNC_SECONDS } from '@agent-console/shared/limits/calls';
import type { TaskStatus } from '@agent-console/shared/models/task';
import { currentTask, summarizeTask } from '@agent-console/shared/operations/session-views';
import type { InputOf, OutputOf } from '@agent-console/shared/operations/table';
import { isOpen } from '../../domain/tasks.ts';
import { withDeadline } from '../../engine/timeouts.ts';
import type { Implementation, Implementations, OperationContext } from '../operation.ts';

type Answer = OutputOf<'sessions.wait'>;

/** How it stands with a session, also with one whose delegation failed and was undone. */
async function look(
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

/** A promise and what settles it. */
function nextChange(): { promise: Promise<void>; settle: () => void } {
  let settle = () => {};
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}

function waitForSession(context: OperationContext): Implementation<'sessions.wait'> {
  return async ({ sessionId, until, timeoutSeconds }, call) => {
    const { signal: over, release } = withDeadline(call.signal, timeoutSeconds * 1_000);
    let changed = nextChange();
    const stop = context.hub.onEvents((events) => {
      if (events.some((event) => event.sessionId === sessionId)) changed.settle();
    });
    const aborted = new Promise<void>((resolve) => over.addEventListener('abort', () => resolve(), { once: true }));
    try {
      for (;;) {
        changed = nextChange();
        const answer = await look(context, sessionId, until);
        if (answer.reached !== null || over.aborted) return answer;
        await Promise.race([changed.promise, aborted]);
      }
    } finally {
      stop();
      release();
    }
  };
}

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

export function sessionWaiting(context: OperationContext) {
  return {
    'sessions.wait': waitForSession(context),
  } satisfies Partial<Implementations>;
}

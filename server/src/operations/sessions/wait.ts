import { notFound } from '@agent-console/shared/errors';
import { currentTask, summarizeTask } from '@agent-console/shared/operations/session-views';
import type { InputOf, OutputOf } from '@agent-console/shared/operations/table';
import { isOpen } from '../../domain/tasks.ts';
import { withDeadline } from '../../engine/timeouts.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

type Needs = Pick<OperationContext, 'storage' | 'views' | 'hub'>;
type Answer = OutputOf<'sessions.wait'>;

/** How it stands with a session, also with one whose delegation failed and was undone. */
async function look(
  { storage, views }: Needs,
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

export function waitForSession(needs: Needs): Implementation<'sessions.wait'> {
  return async ({ sessionId, until, timeoutSeconds }, call) => {
    const { signal: over, release } = withDeadline(call.signal, timeoutSeconds * 1_000);
    let changed = nextChange();
    const stop = needs.hub.onEvents((events) => {
      if (events.some((event) => event.sessionId === sessionId)) changed.settle();
    });
    const aborted = new Promise<void>((resolve) => over.addEventListener('abort', () => resolve(), { once: true }));
    try {
      for (;;) {
        changed = nextChange();
        const answer = await look(needs, sessionId, until);
        if (answer.reached !== null || over.aborted) return answer;
        await Promise.race([changed.promise, aborted]);
      }
    } finally {
      stop();
      release();
    }
  };
}

import { ConsoleError } from '@agent-console/shared/errors';
import type { SessionStatus } from '@agent-console/shared/models/session';
import type { TaskStatus } from '@agent-console/shared/models/task';

/**
 * Stored part of a session's status. `open` is shown as idle, running or awaiting_input, depending on the session's
 * current task.
 */
export type SessionMark = (typeof SESSION_MARKS)[number];
export const SESSION_MARKS = ['open', 'paused', 'stopped', 'completed', 'failed'] as const;

/**
 * Who or what paused the session:
 * - `person`: only a person can resume it.
 * - `session`: an agent paused it, and the next prompt of an agent or person resumes it.
 * - `idle`: the console paused it, usually because the work in it was done, and the next prompt or notice resumes it.
 * - `budget`: a budget that covers it is used up, and a person must raise this budget.
 */
export type PausedBy = 'person' | 'session' | 'idle' | 'budget';

/**
 * Returns the status of a session. The active tasks determine the status in two cases:
 * - The session is open.
 * - A turn still runs, although the session was marked completed or failed, or has used up its budget.
 *
 * In any other case, the status is the mark.
 * @param active the tasks of the session that have started and not ended
 */
export function statusOf(
  { mark, pausedBy }: { mark: SessionMark; pausedBy: string | null },
  active: readonly { status: TaskStatus; waitingFor: string | null }[],
): SessionStatus {
  const isEnding = active.length > 0 && (mark === 'completed' || mark === 'failed');
  const isHeld = mark === 'paused' && pausedBy === 'budget' && active.some(({ waitingFor }) => waitingFor !== 'report');
  if (mark !== 'open' && !isEnding && !isHeld) return mark;
  if (active.some(({ status }) => status === 'running')) return 'running';
  return active.length > 0 ? 'awaiting_input' : 'idle';
}

/**
 * Whether a session must not have an agent process, because it is paused or stopped. A session that is marked completed
 * or failed may also be paused, because it was idle.
 */
export function mustHaveNoAgent({ mark, pausedBy }: { mark: SessionMark; pausedBy: string | null }): boolean {
  if (mark === 'completed' || mark === 'failed') return pausedBy === 'idle';
  return mark === 'paused' || mark === 'stopped';
}

/**
 * Whether the session begins its queued tasks by itself. The queue of any other session waits until somebody resumes or
 * prompts the session.
 */
export function startsQueue(session: {
  mark: SessionMark;
  pausedBy: string | null;
  queueHeld: boolean;
  archivedAt: string | null;
}): boolean {
  const isReady = session.mark === 'open' || (session.mark === 'paused' && session.pausedBy === 'idle');
  return isReady && !session.queueHeld && session.archivedAt === null;
}

/** Whether a pending notice resumes the session, so that its agent starts. */
export function resumesForNotices(session: {
  mark: SessionMark;
  pausedBy: string | null;
  archivedAt: string | null;
}): boolean {
  return session.mark === 'paused' && session.pausedBy === 'idle' && session.archivedAt === null;
}

/**
 * Whether the session is paused once its work is done and its agent has been idle for a while: it was delegated, or it
 * is marked completed or failed. If its agent could not resume the conversation, the session is reclaimable instead.
 */
export function isPausedWhenIdle(
  session: Parameters<typeof isMarkedDone>[0] & { parentSessionId: string | null; orchestrationId: string | null },
): boolean {
  const isDelegated = session.parentSessionId !== null || session.orchestrationId !== null;
  return (session.mark === 'open' && isDelegated) || isMarkedDone(session);
}

/** Whether the session is marked completed or failed, and was not paused because it was idle. */
export function isMarkedDone({ mark, pausedBy }: { mark: SessionMark; pausedBy: string | null }): boolean {
  return (mark === 'completed' || mark === 'failed') && pausedBy !== 'idle';
}

/**
 * Returns the mark to store when a caller sets this status; an empty object for `running`, which changes no mark.
 * @param session.working whether the session has an active task.
 * @throws CONFLICT if the session cannot get this status because of its mark, or because it has or lacks an active
 * task.
 */
export function markForStatus(
  status: 'idle' | 'running' | 'completed' | 'failed',
  { mark, working }: { mark: SessionMark; working: boolean },
): { mark?: SessionMark } {
  if (status === 'completed' || status === 'failed') return { mark: status };
  if (status === 'running') {
    if (working && mark === 'open') return {};
    throw new ConsoleError(
      'CONFLICT',
      'The status running cannot be set directly. To start the session, send it a prompt.',
      { mark },
    );
  }
  if (mark === 'paused' || mark === 'stopped') {
    throw new ConsoleError(
      'CONFLICT',
      `This session is ${mark}, so its status cannot be set to idle. Resume it or send it a prompt.`,
      { mark },
    );
  }
  if (working && mark === 'open') {
    throw new ConsoleError(
      'CONFLICT',
      'This session is working, so its status cannot be set to idle. Cancel its task, or wait until the task has ended.',
      {
        mark,
      },
    );
  }
  return { mark: 'open' };
}

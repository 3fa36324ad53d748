import type { Session } from '@agent-console/shared/models/session';
import { isRetryable } from '@agent-console/shared/models/task';
import { agentOf, isLive } from '../badge.ts';

/** Ids of a task and of its session. Actions on the task need both. */
export interface TaskRef {
  id: string;
  sessionId: string;
}

/** What a person can do with a session now. */
export interface OfferedActions {
  /**
   * `pause` while the agent runs, `resume` if its conversation can be resumed, otherwise `start`. Undefined if none is
   * possible.
   */
  agent: 'pause' | 'resume' | 'start' | undefined;
  /** Whether the session has a live worker with a process, so that the session can be stopped. */
  isBusy: boolean;
  isArchived: boolean;
  canAnswer: boolean;
  canArchive: boolean;
  /** Whether the session has a worktree that is ready, or whose state is unknown. */
  hasWorktree: boolean;
  /** The current task, if it can be cancelled. */
  cancellable: TaskRef | undefined;
  /** The last task, if its prompt can be sent again. */
  retryable: TaskRef | undefined;
}

/**
 * Returns what a person can do with a session now. The menus, the details and the palette each show some of these
 * actions.
 */
export function actionsOf(session: Session): OfferedActions {
  const { id, task, status, workers, archivedAt, worktreeId, gitState, resumable } = session;
  const agent = agentOf(session);
  const isRunning = agent !== undefined && isLive(agent);
  const isArchived = archivedAt !== null;
  const isBusy = workers.some(isLive);
  // A session that was completed, failed or stopped cannot be paused, even if its agent is still running.
  const isOpen = status !== 'completed' && status !== 'failed' && status !== 'stopped';
  const hasEnded = status === 'paused' || status === 'stopped' || agent !== undefined;
  const ref = task === null ? undefined : { id: task.id, sessionId: id };
  const isActive = task?.status === 'running' || task?.status === 'awaiting_input';
  return {
    agent: isArchived
      ? undefined
      : isRunning
        ? isOpen
          ? 'pause'
          : undefined
        : hasEnded && resumable
          ? 'resume'
          : 'start',
    isBusy,
    isArchived,
    canAnswer: task?.waitingFor === 'answer' || (isRunning && agent.activityState === 'asking'),
    canArchive: !isArchived && !isBusy,
    hasWorktree: worktreeId !== null && (gitState === null || gitState.worktreeState === 'ready'),
    cancellable: isActive && !isArchived ? ref : undefined,
    // `session.task` has no kind, because it is always a task of kind `prompt`.
    retryable: task !== null && !isArchived && isRetryable({ status: task.status, kind: 'prompt' }) ? ref : undefined,
  };
}

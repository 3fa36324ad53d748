import type { Session } from '@agent-console/shared/models/session';
import { isRetryable, type Task } from '@agent-console/shared/models/task';
import { agentOf, isLive } from '../badge.ts';

/** Returns what a person can do with a session now. */
export function actionsOf(session: Session, tasks: readonly Task[] | undefined) {
  const worker = agentOf(session);
  const isRunning = worker !== undefined && isLive(worker);
  const isArchived = session.archivedAt !== null;
  const isPaused = session.status === 'paused' || session.status === 'stopped';
  const last = tasks?.findLast(({ status }) => status !== 'queued');
  return {
    /** What the agent's process can do: pause while it runs, otherwise resume or start. */
    agent: isArchived
      ? undefined
      : isRunning
        ? ('pause' as const)
        : isPaused
          ? ('resume' as const)
          : ('start' as const),
    /** The last task, if its prompt can be sent again. */
    retryable: !isArchived && last !== undefined && isRetryable(last) ? last : undefined,
    /** Whether a process of the session runs. */
    isBusy: session.workers.some((each) => each.type !== 'git-diff' && isLive(each)),
    isArchived,
  };
}

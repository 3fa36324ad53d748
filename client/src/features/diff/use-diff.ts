import type { Session } from '@agent-console/shared/models/session';
import { useEffect } from 'react';
import { operationKey, useOperationQuery } from '../../api/operations.ts';
import { refetchChanged } from '../../api/query-client.ts';
import { useSessions } from '../sessions/sessions-store.ts';
import type { Diff } from './types.ts';

/**
 * Minimum time between two refetches that events cause. A working agent causes many events, and each refetch runs git.
 */
const THROTTLE_MS = 2_000;
/** Poll interval while the diff is visible and an agent works. Needed because file changes cause no events. */
const POLL_MS = 4_000;

/** Last known state of a worktree's sessions, by worktree id. When it changes, the diff is fetched again. */
const lastState = new Map<string, string>();
const lastFetch = new Map<string, number>();
const scheduled = new Set<string>();

/**
 * Returns the diff of a session's worktree. Fetches it again when a session of the worktree changes. If `watched`, also
 * polls while an agent works there. Fetches nothing while the worktree is not ready, because there are no files to
 * compare.
 */
export function useDiff({ worktreeId, gitState }: Pick<Session, 'worktreeId' | 'gitState'>, { watched = false } = {}) {
  const id = worktreeId ?? '';
  const isReady = gitState?.worktreeState === 'ready';
  const state = useSessions(({ sessions }) => {
    if (id === '') return '';
    const own = Object.values(sessions).filter((session) => session.worktreeId === id);
    return own
      .map(({ updatedAt, task, workers }) => {
        const states = workers.map((worker) => `${worker.state} ${worker.activityState} ${worker.activitySince}`);
        return [updatedAt, task?.id, task?.status, ...states].join(' ');
      })
      .join('\n');
  });
  const busy = useSessions(({ sessions }) =>
    Object.values(sessions).some(
      (session) =>
        session.worktreeId === id &&
        session.workers.some((worker) => worker.state === 'running' && worker.activityState !== 'idle'),
    ),
  );
  useEffect(() => {
    if (id === '' || state === '') return;
    const before = lastState.get(id);
    lastState.set(id, state);
    if (before !== undefined && before !== state) refetchThrottled(id);
  }, [id, state]);
  return useOperationQuery(
    'worktrees.diff',
    { worktreeId: id },
    { enabled: isReady, refetchInterval: watched && busy ? POLL_MS : false },
  );
}

/** Fetches the diff again: at once, or at the end of the throttle interval. */
function refetchThrottled(worktreeId: string): void {
  if (scheduled.has(worktreeId)) return;
  const wait = Math.max(0, (lastFetch.get(worktreeId) ?? 0) + THROTTLE_MS - Date.now());
  scheduled.add(worktreeId);
  setTimeout(() => {
    scheduled.delete(worktreeId);
    lastFetch.set(worktreeId, Date.now());
    refetchChanged({ queryKey: operationKey('worktrees.diff', { worktreeId }) });
  }, wait);
}

/**
 * Returns the number of files in a diff, including unlisted files, and the added and removed lines of the listed files.
 */
export function totalsOf({ files, moreFiles }: Diff) {
  return {
    count: files.length + moreFiles,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
  };
}

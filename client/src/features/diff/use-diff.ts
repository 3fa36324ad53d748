import { useEffect, useMemo } from 'react';
import { operationKey, useOperationQuery } from '../../api/operations.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSessions } from '../sessions/sessions-store.ts';

/** Throttle of event-driven refetches: a working agent causes many events, and each refetch runs git. */
const APART_MS = 2_000;
/** Poll interval while visible and an agent works, because file changes cause no event. */
const WATCHED_MS = 4_000;

/** State of a worktree's sessions at the last fetch. */
const asked = new Map<string, string>();
const askedAt = new Map<string, number>();
const waiting = new Set<string>();

/**
 * The changes of a worktree; refetched when one of its sessions changes and, if `watched`, polled while an agent works
 * there.
 */
export function useDiff(worktreeId: string | null | undefined, { watched = false } = {}) {
  const id = worktreeId ?? '';
  const pulse = useSessions(({ sessions }) => {
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
    if (id === '' || pulse === '') return;
    const before = asked.get(id);
    asked.set(id, pulse);
    if (before !== undefined && before !== pulse) askAgainSoon(id);
  }, [id, pulse]);
  return useOperationQuery(
    'worktrees.diff',
    { worktreeId: id },
    { enabled: id !== '', refetchInterval: watched && busy ? WATCHED_MS : false },
  );
}

/** Refetches at once, or at the end of the throttle interval. */
function askAgainSoon(worktreeId: string): void {
  if (waiting.has(worktreeId)) return;
  const wait = Math.max(0, (askedAt.get(worktreeId) ?? 0) + APART_MS - Date.now());
  waiting.add(worktreeId);
  setTimeout(() => {
    waiting.delete(worktreeId);
    askedAt.set(worktreeId, Date.now());
    void queryClient.invalidateQueries({ queryKey: operationKey('worktrees.diff', { worktreeId }) });
  }, wait);
}

/** Totals of a worktree's changes, including files that are not listed; undefined until loaded. */
export function useDiffSummary(
  worktreeId: string | null | undefined,
): { files: number; additions: number; deletions: number } | undefined {
  const { data } = useDiff(worktreeId);
  return useMemo(() => {
    if (data === undefined) return undefined;
    let additions = 0;
    let deletions = 0;
    for (const file of data.files) {
      additions += file.additions;
      deletions += file.deletions;
    }
    return { files: data.files.length + data.moreFiles, additions, deletions };
  }, [data]);
}

import { useEffect, useMemo } from 'react';
import { operationKey, useOperationQuery } from '../../api/operations.ts';
import { queryClient } from '../../api/query-client.ts';
import { useSessions } from '../sessions/sessions-store.ts';

/** Between two questions that events caused: an agent at work causes many, and each costs a git run. */
const APART_MS = 2_000;
/** While someone looks and an agent works, files change without an event. */
const WATCHED_MS = 4_000;

/** What was last known of the sessions of a worktree when its changes were asked for. */
const asked = new Map<string, string>();
const askedAt = new Map<string, number>();
const waiting = new Set<string>();

/**
 * The changes of a worktree; asked again when something happened to a session in it, and, `watched`, every few seconds
 * while an agent works there.
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

/** At once, unless it was asked just now; what happens meanwhile is asked for at the end of that time. */
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

/** How much a worktree changed, files that are not shown included; undefined until it is known. */
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

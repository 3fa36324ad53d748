import type { PruneReason } from '@agent-console/shared/models/prunable';

/** Facts that determine whether the work in a worktree is done. */
interface PruneFacts {
  /** Stored comparison with the base, or null if there is none yet. */
  gitStatus: { merged: boolean | null; dirtyFiles: number; head: string } | null;
  /** Commit at which the worktree was created. */
  baseSha: string | null;
}

/**
 * Returns the reasons why the work in a worktree counts as done.
 * @param archivedBefore only sessions archived before this time count as archived
 */
export function pruneReasons(
  { gitStatus, baseSha }: PruneFacts,
  sessions: readonly { archivedAt: string | null }[],
  archivedBefore: Date,
): PruneReason[] {
  const isUnchanged = gitStatus !== null && gitStatus.dirtyFiles === 0 && gitStatus.head === baseSha;
  const isArchived = ({ archivedAt }: { archivedAt: string | null }) =>
    archivedAt !== null && Date.parse(archivedAt) <= archivedBefore.getTime();
  return [
    ...(gitStatus?.merged === true ? (['merged'] as const) : []),
    ...(isUnchanged ? (['unchanged'] as const) : []),
    ...(sessions.length > 0 && sessions.every(isArchived) ? (['archived'] as const) : []),
  ];
}

import type { OutputOf } from '@agent-console/shared/operations/table';

/** What a worktree to be removed contains that may be lost; `leftOut` lists paths that the console cannot save. */
export type RemovalLosses = OutputOf<'worktrees.remove'>['lost'];

/** A group of contents that are all saved, all kept or all lost when the worktree is removed. */
export interface LossGroup {
  title: string;
  /** What happens to the contents when the worktree is removed, e.g. `saved for 30 days`. */
  fate: string;
  items: readonly string[];
  /** Whether the contents are lost, because the console does not save them. */
  gone: boolean;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
const SAVED = 'saved for 30 days';
const GONE = 'not saved';

/** Groups the contents of a worktree by what happens to them when the worktree is removed. Empty groups are omitted. */
export function groupLosses(lost: RemovalLosses, branch: string | null): LossGroup[] {
  // Only in `leftOut`, the path of a changed submodule ends with a slash.
  const unsaved = new Set(lost.leftOut.map((path) => path.replace(/\/$/, '')));
  const isSaved = (path: string) => !unsaved.has(path.replace(/\/$/, ''));
  const ignored = (saved: boolean) => lost.ignored.filter((each) => each.saved === saved);
  const { inProgress } = lost;
  const losses: LossGroup[] = [
    { title: 'Uncommitted changes', fate: SAVED, items: lost.uncommitted.filter(isSaved), gone: false },
    { title: 'Untracked files', fate: SAVED, items: lost.untracked.filter(isSaved), gone: false },
    {
      title: 'Unpushed commits',
      fate: branch === null ? 'saved for 30 days' : 'kept on the branch',
      items: lost.unpushed,
      gone: false,
    },
    {
      title: 'Git operation in progress',
      fate: inProgress?.saved ? SAVED : GONE,
      items: inProgress === null ? [] : [inProgress.operation],
      gone: inProgress?.saved === false,
    },
    { title: 'Ignored files', fate: SAVED, items: named(ignored(true)), gone: false },
    { title: 'Files that cannot be saved', fate: GONE, items: lost.leftOut, gone: true },
    {
      title: 'Ignored folders and large ignored files',
      fate: `${formatBytes(ignored(false).reduce((sum, { bytes }) => sum + bytes, 0))}, ${GONE}`,
      items: named(ignored(false)),
      gone: true,
    },
  ];
  return losses.filter(({ items }) => items.length > 0);
}

function named(ignored: RemovalLosses['ignored']): string[] {
  return ignored.map(({ path, bytes }) => `${path} (${formatBytes(bytes)})`);
}

/** Formats a size, e.g. `1.4 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

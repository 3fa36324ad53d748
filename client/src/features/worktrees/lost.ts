import type { OutputOf } from '@agent-console/shared/operations/table';

/** What goes with a worktree. `leftOut`: paths that cannot be saved, where the console names them beforehand. */
export type Lost = OutputOf<'worktrees.remove'>['lost'] & { leftOut?: readonly string[] };

/** What stands in one list, and what becomes of it. */
export interface Loss {
  title: string;
  /** What becomes of it: `saved for 30 days`. */
  fate: string;
  items: readonly string[];
  /** It cannot be brought back. */
  gone: boolean;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
const SAVED = 'saved for 30 days';

/** What a worktree holds, by what becomes of it; lists without entries are left out. */
export function lossesOf(lost: Lost, branch: string | null): Loss[] {
  const gone = notSaved(lost);
  const isSaved = (path: string) => !gone.includes(path);
  const bytes = lost.ignored.reduce((sum, each) => sum + each.bytes, 0);
  const losses: Loss[] = [
    { title: 'Uncommitted changes', fate: SAVED, items: lost.uncommitted.filter(isSaved), gone: false },
    {
      title: 'Untracked files',
      fate: lost.leftOut === undefined ? `${SAVED}, up to 100 MB` : SAVED,
      items: lost.untracked.filter(isSaved),
      gone: false,
    },
    {
      title: 'Commits that are nowhere else',
      fate: branch === null ? 'kept for 30 days' : 'stay on the branch',
      items: lost.unpushed,
      gone: false,
    },
    { title: 'Too large, or repositories of their own', fate: 'not saved', items: gone, gone: true },
    {
      title: 'Ignored files',
      fate: `${size(bytes)}, not saved`,
      items: lost.ignored.map((each) => `${each.path} (${size(each.bytes)})`),
      gone: true,
    },
  ];
  return losses.filter(({ items }) => items.length > 0);
}

/** git names a folder as untracked only where it is a repository of its own, and keeps nothing of another one. */
function notSaved({ untracked, leftOut = [] }: Lost): string[] {
  return [...new Set([...leftOut, ...untracked.filter((path) => path.endsWith('/'))])];
}

/** `1.4 MB` */
function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

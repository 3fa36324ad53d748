import type { OutputOf } from '@agent-console/shared/operations/table';

/** Response of `worktrees.diff`. */
export type Diff = OutputOf<'worktrees.diff'>;
export type DiffFile = Diff['files'][number];
export type Hunk = DiffFile['hunks'][number];

/** The old or the new version of a file. */
export type Side = 'old' | 'new';

/** One line of a hunk with its number in both versions. */
export interface Line {
  kind: 'same' | 'added' | 'removed';
  old: number | undefined;
  new: number | undefined;
  text: string;
  /** Whether the file ends after this line without a newline. */
  noNewline: boolean;
  /** Index of the line in its hunk, by which its colours are found too. */
  at: number;
}

/** A row of the split layout. */
export interface Pair {
  left: Line | undefined;
  right: Line | undefined;
}

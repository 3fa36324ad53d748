import type { OutputOf } from '@agent-console/shared/operations/table';

/** What the console answers about the changes of a worktree. */
export type Diff = OutputOf<'worktrees.diff'>;
export type DiffFile = Diff['files'][number];
export type Hunk = DiffFile['hunks'][number];

/** Which version of a file a line belongs to. */
export type Side = 'old' | 'new';

/** One line of a hunk with its place in both versions. */
export interface Line {
  kind: 'same' | 'added' | 'removed';
  /** Line number in the old version, or undefined where it has none. */
  old: number | undefined;
  new: number | undefined;
  text: string;
  /** The file ends here without a newline. */
  noNewline: boolean;
  /** Position within the hunk as the console told it, where its colours are found. */
  at: number;
}

/** A line beside the one that took its place. */
export interface Pair {
  left: Line | undefined;
  right: Line | undefined;
}

import type { OutputOf } from '@agent-console/shared/operations/table';

export type Diff = OutputOf<'worktrees.diff'>;
export type DiffFile = Diff['files'][number];
export type Hunk = DiffFile['hunks'][number];

export type Side = 'old' | 'new';

export interface Line {
  kind: 'same' | 'added' | 'removed';
  old: number | undefined;
  new: number | undefined;
  text: string;
  /** Whether the file ends after this line without a newline. */
  noNewline: boolean;
  /** Index of the line in its hunk. The colours of the hunk have the same indexes. */
  at: number;
}

export interface Pair {
  left: Line | undefined;
  right: Line | undefined;
}

import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf } from '../ids.ts';
import { Timestamp } from '../time.ts';

export const OverlapFile = v.object({
  path: described(v.string(), 'Path within the repository'),
  kind: described(
    v.picklist(['conflict', 'both-changed']),
    'conflict: git cannot combine the changes; both-changed: git can combine the changes',
  ),
});
export type OverlapFile = v.InferOutput<typeof OverlapFile>;

/** Two worktrees of a repository that change the same files. */
export const Overlap = v.object({
  worktreeIds: described(
    v.tuple([idOf('worktree', 'Id of one worktree'), idOf('worktree', 'Id of the other worktree')]),
    'Ids of the two worktrees',
  ),
  files: described(v.array(OverlapFile), 'Files changed in both worktrees, conflicts first'),
  computedAt: described(Timestamp, 'Time when the changes were last compared'),
});
export type Overlap = v.InferOutput<typeof Overlap>;

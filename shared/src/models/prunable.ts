import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf } from '../ids.ts';

/** Why a worktree can be removed without losing work. */
export const PruneReason = v.picklist(['merged', 'unchanged', 'archived']);
export type PruneReason = v.InferOutput<typeof PruneReason>;

/**
 * A worktree that can be removed: its sessions have no live process and no open task, and at least one `PruneReason`
 * applies.
 */
export const PrunableWorktree = v.object({
  worktreeId: idOf('worktree', 'Id of the worktree'),
  name: described(v.string(), 'Display name'),
  branch: described(v.nullable(v.string()), 'Branch of the worktree, or null if HEAD is detached'),
  reasons: described(
    v.array(PruneReason),
    "merged: the base contains the worktree's commits; unchanged: the worktree has neither commits of its own nor uncommitted changes; archived: all sessions of the worktree were archived at least archivedDays days ago",
  ),
  dirtyFiles: described(v.number(), 'Number of files with uncommitted changes, which a removal saves for 30 days'),
  bytes: described(v.nullable(v.number()), 'Size of the worktree on disk in bytes; null if it was not measured yet'),
  sessionIds: described(
    v.array(idOf('session', 'Id of a session in the worktree')),
    'Ids of the sessions in the worktree',
  ),
});
export type PrunableWorktree = v.InferOutput<typeof PrunableWorktree>;

/** Result for one worktree of a call that removes several worktrees. */
export const PrunedWorktree = v.object({
  worktreeId: idOf('worktree', 'Id of the worktree'),
  removed: described(v.boolean(), 'Whether the worktree was removed; in a dry run: whether it would be removed'),
  branchDeleted: described(v.boolean(), 'Whether its branch was deleted; in a dry run: whether it would be deleted'),
  recoveryRef: described(v.nullable(v.string()), 'Ref from which the worktree can be restored, or null'),
  error: described(v.nullable(v.string()), 'Why the worktree or its branch was not removed, or null'),
  warnings: described(v.array(v.string()), 'Problems that did not stop the removal'),
});
export type PrunedWorktree = v.InferOutput<typeof PrunedWorktree>;

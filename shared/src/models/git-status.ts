import * as v from 'valibot';
import { described } from '../describe.ts';
import { Timestamp } from '../time.ts';
import { CheckResult } from './check-result.ts';

const Distance = {
  ahead: described(
    v.number(),
    "Number of commits that only the worktree's branch has; 0 if the branch to compare with no longer exists",
  ),
  behind: described(
    v.number(),
    'Number of commits that only the branch to compare with has; 0 if that branch no longer exists',
  ),
};

/** Size of all changes in a worktree since the merge base, both committed and uncommitted. */
export const ChangeSize = v.object({
  files: described(v.number(), 'Number of changed files'),
  additions: described(v.number(), 'Number of lines that were added'),
  deletions: described(v.number(), 'Number of deleted lines'),
});
export type ChangeSize = v.InferOutput<typeof ChangeSize>;

/** Comparison of the work in a worktree with the branch into which the work would be integrated. */
export const GitStatus = v.object({
  base: described(
    v.nullable(v.string()),
    'Name of the branch that the worktree is compared with; null if this branch no longer exists',
  ),
  dirtyFiles: described(v.number(), 'Number of files with uncommitted changes, including untracked files'),
  ...Distance,
  upstream: described(
    v.nullable(v.object(Distance)),
    'Commits ahead of and behind the upstream branch as last fetched; null without an upstream branch, or if the base no longer exists',
  ),
  merged: described(
    v.nullable(v.boolean()),
    'Whether the base contains all committed work, even if squashed or rebased; null if unknown',
  ),
  conflictsWithBase: described(
    v.nullable(v.boolean()),
    'Whether merging into the base would conflict; null if unknown, for example because git is older than 2.38 or the base no longer exists',
  ),
  changes: described(
    v.nullable(ChangeSize),
    'Size of the changes since the merge base with the base, committed or not; null if unknown, for example because the base no longer exists',
  ),
  check: described(v.nullable(CheckResult), 'Result of the check of the current commit, or null if it was not checked'),
  computedAt: described(Timestamp, 'Time when the status was computed'),
});
export type GitStatus = v.InferOutput<typeof GitStatus>;

/** The parts of a worktree's git status that sessions show, and the result of the worktree's check. */
export const WorkSummary = v.object({
  base: GitStatus.entries.base,
  dirtyFiles: GitStatus.entries.dirtyFiles,
  ahead: GitStatus.entries.ahead,
  behind: GitStatus.entries.behind,
  merged: GitStatus.entries.merged,
  check: described(
    v.nullable(v.picklist(['passed', 'failed'])),
    'Result of the check of the current commit, or null if it was not checked',
  ),
});
export type WorkSummary = v.InferOutput<typeof WorkSummary>;

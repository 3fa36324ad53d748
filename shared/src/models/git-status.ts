import * as v from 'valibot';
import { described } from '../describe.ts';
import { Timestamp } from '../time.ts';
import { CheckResult } from './check-result.ts';

const Distance = {
  ahead: described(v.number(), 'Commits that only the worktree’s branch has'),
  behind: described(v.number(), 'Commits that the worktree’s branch lacks'),
};

/** Comparison of the work in a worktree with the branch into which the work would be integrated. */
export const GitStatus = v.object({
  base: described(v.nullable(v.string()), 'Branch that the worktree is compared with; null if it no longer exists'),
  dirtyFiles: described(v.number(), 'Files with uncommitted changes, including untracked files'),
  ...Distance,
  upstream: described(
    v.nullable(v.object(Distance)),
    'The same, compared with the upstream branch as last fetched; null without one',
  ),
  merged: described(
    v.boolean(),
    'Whether the base contains all committed work, also if it was squashed or rebased into it',
  ),
  conflictsWithBase: described(
    v.nullable(v.boolean()),
    'Whether merging into the base would conflict; null if git is older than 2.38 or the base no longer exists',
  ),
  check: described(v.nullable(CheckResult), 'Check of the current commit, or null if it was not checked'),
  computedAt: described(Timestamp, 'When this was computed'),
});
export type GitStatus = v.InferOutput<typeof GitStatus>;

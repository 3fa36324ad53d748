import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, nullableIdOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';
import { Failure } from './failure.ts';

export const IntegrationStrategy = v.picklist(['merge', 'squash', 'rebase']);
export type IntegrationStrategy = v.InferOutput<typeof IntegrationStrategy>;

/**
 * State changes: `running` → `integrated` | `conflicts` | `failed`; `integrated` → `undone`. After `conflicts` and
 * `failed`, the target branch is unchanged.
 */
export const IntegrationState = v.picklist(['running', 'integrated', 'conflicts', 'failed', 'undone']);
export type IntegrationState = v.InferOutput<typeof IntegrationState>;

const Side = v.picklist(['added', 'modified', 'deleted', 'renamed', 'unchanged']);

/**
 * A file that two branches changed in ways that git cannot combine. `path` is a folder if git names only the folder,
 * for example when one branch moved the files of this folder to several folders.
 */
export const MergeConflict = v.object({
  path: described(v.string(), 'Path within the repository'),
  kind: described(
    v.string(),
    'Kind of conflict as git names it, such as content, modify/delete, add/add, rename/delete, binary or submodule',
  ),
  ours: described(v.nullable(Side), 'What the target branch did to the file; null if unknown'),
  theirs: described(v.nullable(Side), 'What the integrated branch did to the file; null if unknown'),
});
export type MergeConflict = v.InferOutput<typeof MergeConflict>;

/** Result of the clean-up after an integration. */
export const CleanupResult = v.object({
  worktreeRemoved: described(v.boolean(), 'Whether the worktree was removed'),
  branchDeleted: described(v.boolean(), 'Whether the branch was deleted'),
  sessionsArchived: described(
    v.array(idOf('session', 'Id of the archived session')),
    'Ids of the sessions that were archived',
  ),
  problems: described(v.array(v.string()), 'What was not cleaned up, and why'),
  warnings: described(v.array(v.string()), 'Problems that did not stop the removal of the worktree'),
});
export type CleanupResult = v.InferOutput<typeof CleanupResult>;

/** A merge, squash or rebase of a worktree's branch into another branch. */
export const Integration = v.object({
  id: ownId('Integration'),
  repositoryId: idOf('repository', 'Id of the repository'),
  worktreeId: idOf('worktree', 'Id of the worktree whose branch is integrated'),
  jobId: nullableIdOf('job', 'Id of the job that runs the integration, or null'),
  strategy: described(
    IntegrationStrategy,
    'merge: a merge commit; squash: one commit with all changes; rebase: the commits are reapplied on top of the target',
  ),
  branch: described(v.string(), 'Name of the integrated branch'),
  into: described(v.string(), 'Name of the target branch'),
  state: described(
    IntegrationState,
    'integrated: the target contains the work; conflicts, failed: the target is unchanged; undone: the target is back at its earlier commit',
  ),
  before: described(v.string(), 'Id of the newest commit of the target branch before the integration'),
  commit: described(
    v.nullable(v.string()),
    'Id of the newest commit of the target branch after the integration; null if the branch was not moved',
  ),
  conflicts: described(v.array(MergeConflict), 'Files in conflict; empty unless the state is conflicts'),
  cleanup: described(
    v.nullable(CleanupResult),
    'What was cleaned up after the integration; null if no clean-up was requested',
  ),
  resolvingSessionId: nullableIdOf('session', 'Id of the session whose agent resolves the conflicts, or null'),
  error: described(v.nullable(Failure), 'Why the integration failed, or null'),
  undoableUntil: described(
    v.nullable(Timestamp),
    'Time until which the integration can be undone while the target is still at `commit`; null if it cannot be undone',
  ),
  createdAt: described(Timestamp, 'Time when the integration started'),
  endedAt: described(v.nullable(Timestamp), 'Time when the integration ended, or null while it runs'),
});
export type Integration = v.InferOutput<typeof Integration>;

import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, nullableIdOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';
import { GitStatus } from './git-status.ts';
import { PullRequest } from './pull-request.ts';

/** `main`: the repository's own checkout; `managed`: created by the console; `adopted`: created with git elsewhere. */
export const WorktreeKind = v.picklist(['main', 'managed', 'adopted']);
export const WorktreeState = v.picklist(['creating', 'ready', 'removing', 'removed', 'restoring', 'failed']);
export type WorktreeState = v.InferOutput<typeof WorktreeState>;

export const Worktree = v.object({
  id: ownId('Worktree'),
  repositoryId: idOf('repository', 'Id of the repository of the worktree'),
  kind: described(
    WorktreeKind,
    "main: the repository's own checkout; managed: created by the console; adopted: created with git elsewhere",
  ),
  name: described(v.string(), 'Display name'),
  path: described(v.string(), 'Path of the worktree on the machine where the console runs'),
  branch: described(v.nullable(v.string()), 'Current branch of the worktree, or null'),
  index: described(v.nullable(v.number()), 'Number of the worktree within its repository; null unless managed'),
  state: described(WorktreeState, 'State of the worktree'),
  gitState: described(
    v.object({
      currentSha: described(v.nullable(v.string()), 'Id of the current commit; null before the checkout'),
      baseSha: described(
        v.nullable(v.string()),
        'Id of the commit at which the work started; null before the checkout',
      ),
      hasChanges: described(
        v.nullable(v.boolean()),
        'Whether there are uncommitted changes; null if git was not queried',
      ),
    }),
    'Commits of the worktree, and whether it has changes',
  ),
  gitStatus: described(
    v.nullable(GitStatus),
    'How the work compares with its base, as of `computedAt`; null if it was not computed yet',
  ),
  pullRequest: described(v.nullable(PullRequest), 'Pull request of the branch, or null if none is known'),
  missing: v.optional(
    described(
      v.literal(true),
      "Set if the worktree's directory is missing. The next prompt to a session of the worktree checks the worktree out again. The worktree can also be removed",
    ),
  ),
  recoveryRef: described(
    v.nullable(v.string()),
    'Ref written by the removal and used to restore the worktree, or null',
  ),
  boardId: nullableIdOf('board', 'Id of the board of the worktree, or null'),
  zoneId: nullableIdOf('zone', 'Id of the zone of the worktree, or null'),
  x: described(
    v.nullable(v.number()),
    'Horizontal position in board units (1 unit is 1 pixel at normal zoom), or null',
  ),
  y: described(v.nullable(v.number()), 'Vertical position in board units, or null'),
  createdAt: described(Timestamp, 'Creation time'),
});
export type Worktree = v.InferOutput<typeof Worktree>;

const Hunk = v.object({
  oldStart: described(v.number(), 'Number of the line at which the hunk starts in the old file'),
  oldLines: described(v.number(), 'Number of lines of the hunk in the old file'),
  newStart: described(v.number(), 'Number of the line at which the hunk starts in the new file'),
  newLines: described(v.number(), 'Number of lines of the hunk in the new file'),
  header: described(
    v.string(),
    'Text after the line numbers in the header of the hunk, such as the first line of the function',
  ),
  lines: described(v.array(v.string()), 'Lines of the hunk; each begins with a space, +, - or \\'),
});

export const FileDiff = v.object({
  path: described(v.string(), 'Path within the worktree'),
  oldPath: described(v.nullable(v.string()), 'Path of the file before it was renamed or copied, or null'),
  status: described(
    v.picklist(['added', 'modified', 'deleted', 'renamed', 'copied', 'typeChanged', 'untracked']),
    'How the file changed',
  ),
  oldMode: described(
    v.nullable(v.string()),
    'Mode of the file in the base, as git writes it, such as 100644; null if the base does not contain the file',
  ),
  newMode: described(
    v.nullable(v.string()),
    'Mode of the file in the worktree, such as 100755 if it is executable; null if the worktree does not contain the file',
  ),
  binary: described(v.boolean(), 'Whether the file is binary; binary files have no hunks'),
  additions: described(v.number(), 'Number of lines that were added to the file'),
  deletions: described(v.number(), 'Number of lines that were deleted from the file'),
  hunks: described(v.array(Hunk), 'Changed parts of the file'),
  truncated: described(v.boolean(), 'Whether hunks were omitted because the diff is too large'),
  invalidUtf8: described(
    v.boolean(),
    'Whether paths or hunks contain bytes that are not UTF-8, which appear as U+FFFD',
  ),
});
export const WorktreeDiff = v.object({
  worktreeId: idOf('worktree', 'Id of the compared worktree'),
  base: described(
    v.string(),
    'Branch, tag or commit that the worktree is compared with: the base that the caller passed, or else the base of the worktree',
  ),
  baseSha: described(v.string(), 'Id of the commit that the worktree is compared with: the merge base'),
  files: described(v.array(FileDiff), 'Changed files'),
  moreFiles: described(v.number(), 'Number of further changed files, which `files` omits'),
});

/** A file in a worktree, tracked by git or not. Kind `link` is a symbolic link, whose target is not read. */
export const WorktreeFile = v.object({
  path: described(v.string(), 'Path within the worktree'),
  kind: described(
    v.picklist(['file', 'link', 'submodule']),
    'file: a regular file; link: a symbolic link, whose target is not read; submodule: a git submodule',
  ),
  tracked: described(v.boolean(), 'Whether git tracks the file'),
});

/** Content that is lost when a worktree is removed, unless the removal saves it. */
export const RemovalRisk = v.object({
  uncommitted: described(v.array(v.string()), 'Paths of the files with uncommitted changes'),
  untracked: described(v.array(v.string()), 'Paths of the untracked files'),
  unpushed: described(
    v.array(v.string()),
    'Commits on no other branch or remote, each as its id and the first line of its message',
  ),
  ignored: described(
    v.array(
      v.object({
        path: described(v.string(), 'Path within the worktree'),
        bytes: described(v.number(), 'Size of the file or directory in bytes'),
        saved: described(
          v.boolean(),
          'Whether the removal saves the file or directory, so that a restore can bring it back',
        ),
      }),
    ),
    'Ignored files, and directories that are ignored as a whole',
  ),
  leftOut: described(
    v.array(v.string()),
    'Paths of the changed and untracked files, submodules and nested repositories that the removal does not save',
  ),
  inProgress: described(
    v.nullable(
      v.object({
        operation: described(
          v.picklist(['merge', 'cherry-pick', 'revert', 'rebase', 'bisect']),
          'Name of the git operation',
        ),
        saved: described(
          v.boolean(),
          'Whether the removal saves the state of the git operation, so that a restore can bring it back',
        ),
      }),
    ),
    'Unfinished git operation, or null',
  ),
  more: described(v.number(), 'Number of further files and commits, which the lists omit because they are full'),
});

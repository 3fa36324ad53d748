import * as v from 'valibot';
import { Timestamp } from '../time.ts';

/** `main`: the repository's own checkout, where only people run agents; `managed`: ours; `adopted`: made by git elsewhere. */
export const WorktreeKind = v.picklist(['main', 'managed', 'adopted']);
export const WorktreeState = v.picklist(['creating', 'ready', 'removing', 'removed', 'restoring', 'failed']);

export const Worktree = v.object({
  id: v.string(),
  repositoryId: v.string(),
  kind: WorktreeKind,
  name: v.string(),
  path: v.string(),
  branch: v.nullable(v.string()),
  /** Number within the repository; null unless managed. */
  index: v.nullable(v.number()),
  state: WorktreeState,
  /** The sha fields are null until it is checked out; hasChanges is null where git was not asked. */
  gitState: v.object({
    currentSha: v.nullable(v.string()),
    baseSha: v.nullable(v.string()),
    hasChanges: v.nullable(v.boolean()),
  }),
  /** Set where git was asked and the folder is gone. */
  missing: v.optional(v.literal(true)),
  /** Ref that a removal wrote and a restore reads, or null. */
  recoveryRef: v.nullable(v.string()),
  /** The board and zone it lies on, and where on the board; null off every board, zone and place too. */
  boardId: v.nullable(v.string()),
  zoneId: v.nullable(v.string()),
  x: v.nullable(v.number()),
  y: v.nullable(v.number()),
  createdAt: Timestamp,
});
export type Worktree = v.InferOutput<typeof Worktree>;

export const FileDiff = v.object({
  path: v.string(),
  oldPath: v.nullable(v.string()),
  status: v.picklist(['added', 'modified', 'deleted', 'renamed', 'copied', 'typeChanged', 'untracked']),
  binary: v.boolean(),
  additions: v.number(),
  deletions: v.number(),
  hunks: v.array(
    v.object({
      oldStart: v.number(),
      oldLines: v.number(),
      newStart: v.number(),
      newLines: v.number(),
      header: v.string(),
      /** Each begins with ` `, `+`, `-` or `\`. */
      lines: v.array(v.string()),
    }),
  ),
  truncated: v.boolean(),
});
export const WorktreeDiff = v.object({
  worktreeId: v.string(),
  base: v.string(),
  baseSha: v.string(),
  files: v.array(FileDiff),
  /** Files beyond the number shown. */
  moreFiles: v.number(),
});

/** A file that git tracks; `link` is a symbolic link, whose target is not looked at. */
export const TrackedFile = v.object({ path: v.string(), kind: v.picklist(['file', 'link', 'submodule']) });

/** What would be lost with a worktree. */
export const RemovalRisk = v.object({
  uncommitted: v.array(v.string()),
  untracked: v.array(v.string()),
  unpushed: v.array(v.string()),
  ignored: v.array(v.object({ path: v.string(), bytes: v.number(), saved: v.boolean() })),
  leftOut: v.array(v.string()),
  inProgress: v.nullable(
    v.object({ operation: v.picklist(['merge', 'cherry-pick', 'revert', 'rebase', 'bisect']), saved: v.boolean() }),
  ),
  /** Entries of all lists beyond the number shown. */
  more: v.number(),
});

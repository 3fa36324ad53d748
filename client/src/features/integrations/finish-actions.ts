import type { GitStatus } from '@agent-console/shared/models/git-status';
import type { Worktree } from '@agent-console/shared/models/worktree';
import { pluralize } from '@agent-console/shared/pluralize';
import { isolateText } from '../../ui/hidden-characters.ts';
import { describeNotReady } from '../worktrees/describe-not-ready.ts';

export type FinishAction = 'commit' | 'discard' | 'update' | 'merge' | 'push';

/** Which actions on a worktree's work are available, such as commit and merge, and which of them comes next. */
export interface FinishActions {
  /** Reason why an action is not available now, as a sentence; undefined if the action is available. */
  reasons: Readonly<Record<FinishAction, string | undefined>>;
  /** The next action, commit or merge; undefined if neither is available or the worktree's git status is unknown. */
  next: FinishAction | undefined;
}

/** Returns the same reason for every action. */
function sameReason(reason: string | undefined): FinishActions['reasons'] {
  return { commit: reason, discard: reason, update: reason, merge: reason, push: reason };
}

/**
 * Returns why each action is unavailable, and which action is next. The console checks each action again; the reasons
 * only prevent useless attempts.
 * @param worktree undefined until loaded
 */
export function finishActions(worktree: Worktree | undefined): FinishActions {
  if (worktree === undefined) return { reasons: sameReason(undefined), next: undefined };
  const { branch, gitStatus, state } = worktree;
  const notReady = describeNotReady(state);
  if (gitStatus === null) return { reasons: sameReason(notReady), next: undefined };
  const { base, dirtyFiles, upstream } = gitStatus;
  const unchanged = dirtyFiles === 0 ? 'There are no uncommitted changes.' : undefined;
  const always = notReady ?? (branch === null ? 'The worktree is not on a branch.' : undefined);
  const noBase =
    base === null
      ? 'The base branch no longer exists.'
      : base === branch
        ? `The worktree is on its base branch ${isolateText(base)}.`
        : undefined;
  // Pushing can also create the pull request. Until there is one, pushing is therefore available even if every commit
  // is pushed.
  const isShared = base === branch || worktree.pullRequest !== null;
  const dirty =
    dirtyFiles === 0 ? undefined : `Commit or discard the changes of ${pluralize(dirtyFiles, 'file')} first.`;
  const reasons = {
    commit: always ?? unchanged,
    discard: notReady ?? unchanged,
    // Updating is allowed even if the base has no new commits, because the base's remote branch may have some.
    update: always ?? noBase ?? dirty,
    // A worktree whose base branch no longer exists can be merged, because the dialog asks for the target branch.
    merge: always ?? (base === branch ? noBase : undefined) ?? dirty ?? nothingToMerge(gitStatus),
    push: always ?? (upstream?.ahead === 0 && isShared ? 'Every commit is already pushed.' : undefined),
  };
  const next = (['commit', 'merge'] as const).find((action) => reasons[action] === undefined);
  return { reasons, next };
}

function nothingToMerge({ base, ahead, merged }: GitStatus): string | undefined {
  if (base === null) return undefined;
  if (ahead === 0) return `This branch has no commits that ${isolateText(base)} lacks.`;
  return merged ? `${isolateText(base)} already contains this work.` : undefined;
}

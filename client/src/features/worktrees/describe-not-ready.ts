import type { WorktreeState } from '@agent-console/shared/models/worktree';

/** Returns why a worktree cannot be used, as a sentence; undefined if it is ready. */
export function describeNotReady(state: WorktreeState): string | undefined {
  return SENTENCES[state];
}

const SENTENCES: Record<WorktreeState, string | undefined> = {
  creating: 'The worktree is being created.',
  ready: undefined,
  removing: 'The worktree is being removed.',
  removed: 'The worktree was removed.',
  restoring: 'The worktree is being restored.',
  failed: 'The worktree could not be created.',
};

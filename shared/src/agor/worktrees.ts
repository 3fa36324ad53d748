import * as v from 'valibot';
import { type Worktree, WorktreeKind, WorktreeState } from '../models/worktree.ts';
import { type Page, pageOf } from '../page.ts';
import { Timestamp } from '../time.ts';
import { type ListArguments, snakeCreated, snakeCreatedOf, snakeEntity, snakeList } from './snake.ts';

const row = {
  worktree_id: v.string(),
  name: v.string(),
  path: v.string(),
  branch: v.nullable(v.string()),
  repo_id: v.string(),
  kind: WorktreeKind,
  state: WorktreeState,
};

export const AgorWorktree = v.looseObject({
  ...row,
  git_state: v.object({
    current_sha: v.nullable(v.string()),
    base_sha: v.nullable(v.string()),
    has_changes: v.nullable(v.boolean()),
  }),
  board_id: v.nullable(v.string()),
  created_at: Timestamp,
});
export const AgorWorktrees = pageOf(v.looseObject(row));
export const AgorWorktreeCreated = snakeCreatedOf(AgorWorktree);

export function agorWorktree(worktree: Worktree) {
  return snakeEntity('worktree', worktree);
}

/** Formats a worktree as a short row without commits and board position. */
function agorWorktreeRow({ id, name, path, branch, repositoryId, kind, state, missing }: Worktree) {
  const fields = { id, name, path, branch, repositoryId, kind, state };
  return snakeEntity('worktree', missing === undefined ? fields : { ...fields, missing });
}

export function agorWorktrees(page: Page<Worktree>, args: ListArguments) {
  return snakeList(page, agorWorktreeRow, args);
}

export function agorWorktreeCreated({ worktree }: { worktree?: Worktree | undefined }) {
  if (worktree === undefined) throw new Error('worktrees.create with wait must return the worktree');
  return snakeCreated(worktree.id, agorWorktree(worktree));
}

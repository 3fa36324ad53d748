import { baseCandidates } from '../../domain/integration.ts';
import type { Git } from '../../ports/git.ts';
import type { RepositoryRow, WorktreeRow } from '../../ports/rows.ts';

/** Returns the branch with which a worktree's work is compared: the branch it started from, or the default branch. */
export async function baseOf(
  git: Pick<Git, 'branchExists'>,
  repository: RepositoryRow,
  { baseRef, branch }: Pick<WorktreeRow, 'baseRef' | 'branch'>,
): Promise<string> {
  for (const candidate of baseCandidates({ baseRef, defaultBranch: repository.defaultBranch })) {
    if (candidate !== branch && (await git.branchExists(repository, candidate))) return candidate;
  }
  return repository.defaultBranch;
}

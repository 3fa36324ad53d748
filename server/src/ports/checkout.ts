import type { RepositoryRow, WorktreeRow } from './rows.ts';

/** Types that identify a repository or a checkout to the git adapter. */

/** A registered repository. `commonDir` is trusted, unlike the `.git` file of a checkout, which an agent can change. */
export type Repository = Pick<RepositoryRow, 'path' | 'commonDir'>;

/** A checkout that the console works in: the main checkout or a worktree. */
export interface Checkout {
  repository: Repository;
  worktree: Pick<WorktreeRow, 'path' | 'branch'>;
}

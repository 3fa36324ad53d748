import type { RepositoryRow, WorktreeRow } from './rows.ts';

/** What identifies a repository and a checkout to git. */

/** A registered repository. `commonDir` is trusted, unlike the `.git` file of a checkout, which an agent can change. */
export type Repository = Pick<RepositoryRow, 'path' | 'commonDir'>;

/** A checkout that the console works in: the main checkout or a worktree. */
export interface Checkout {
  repository: Repository;
  worktree: Pick<WorktreeRow, 'path' | 'branch'>;
}

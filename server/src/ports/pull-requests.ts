import type { PullRequest } from '@agent-console/shared/models/pull-request';

/**
 * Reads pull requests with GitHub's own program `gh`, which is logged in to the user's account. The console neither
 * reads nor stores the program's token.
 */
export interface PullRequests {
  /** Whether `gh` is installed and logged in to a host. `slow`: it did not answer in time. */
  availability(host: string): Promise<'ready' | 'missing' | 'logged-out' | 'slow'>;
  /**
   * Returns the state of the pull request at an address, with its text sanitized; null if the pull request cannot be
   * read.
   */
  read(url: string): Promise<Omit<PullRequest, 'readAt'> | null>;
}

import type { PullRequest } from '@agent-console/shared/models/pull-request';

/** GitHub's own program, which knows the user's account. The console neither reads nor stores its token. */
export interface PullRequests {
  /** Whether `gh` is installed and logged in to a host. `slow`: it did not answer in time. */
  availability(host: string): Promise<'ready' | 'missing' | 'logged-out' | 'slow'>;
  /** Returns the state of the pull request at an address, with its text made safe to show; null if it cannot be read. */
  read(url: string): Promise<Omit<PullRequest, 'readAt'> | null>;
}

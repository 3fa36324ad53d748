import * as v from 'valibot';
import { described } from '../describe.ts';
import { ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';

/**
 * A registered git repository. Its setup, cleanup, check and pull request commands run without confirmation, because
 * only people can set them.
 */
export const Repository = v.object({
  id: ownId('Repository'),
  name: described(v.string(), 'Display name'),
  path: described(v.string(), 'Path of the main checkout'),
  url: described(v.nullable(v.string()), 'Fetch URL of the remote origin without credentials, or null'),
  defaultBranch: described(v.string(), 'Branch from which new branches start by default'),
  setupCommand: described(v.nullable(v.string()), 'Shell command that runs in each new worktree, or null'),
  cleanupCommand: described(v.nullable(v.string()), 'Shell command that runs before a worktree is removed, or null'),
  checkCommand: described(
    v.nullable(v.string()),
    'Shell command that verifies the work, or null; the check passes if the command exits with code 0',
  ),
  pullRequestCommand: described(
    v.nullable(v.string()),
    'Shell command that creates a pull request for the current branch and prints the URL of the pull request; null: `gh pr create`',
  ),
  agentsMayIntegrate: described(v.boolean(), 'Whether agents may integrate into the default branch'),
  runHooks: described(
    v.boolean(),
    'Whether git hooks also run for commits and integrations by agents; for people they always run',
  ),
  createdAt: described(Timestamp, 'Creation time'),
});
export type Repository = v.InferOutput<typeof Repository>;

export const Branch = v.object({
  name: described(v.string(), 'Branch name'),
  sha: described(v.string(), 'Id of the newest commit of the branch'),
  remote: described(
    v.boolean(),
    'Whether the branch is a remote-tracking branch, which is only as recent as the last fetch',
  ),
  worktreePath: described(v.nullable(v.string()), 'Path of the worktree in which the branch is checked out, or null'),
});

import { ConsoleError } from '@agent-console/shared/errors';
import { HOOK_LIMIT_MS } from '@agent-console/shared/limits/commands';
import type { Git } from '../../ports/git.ts';
import type { JobRow, RepositoryRow, WorktreeRow } from '../../ports/rows.ts';
import type { Author } from '../../ports/storage.ts';
import type { Commands } from './commands.ts';
import { requireSuccess } from './success.ts';

interface HookTarget {
  worktree: WorktreeRow;
  repository: RepositoryRow;
  commit: string;
  author: Author;
}

/** Runs hooks of repositories in command workers, for commits that are not made in a checkout. */
export interface Hooks {
  /**
   * Runs the repository's hooks for a commit, one after the other. The hooks read an index with the commit's files, and
   * the last hook reads a file with the commit's message. Returns the message, which hooks can change.
   * @throws CONFLICT or TIMEOUT with the last output of a hook that refused the commit.
   */
  run(job: JobRow, target: HookTarget, hooks: { before: string; message: string }): Promise<string>;
}

export function createHooks({ git, commands }: { git: Git; commands: Commands }): Hooks {
  return {
    async run(job, { worktree, repository, commit, author }, hooks) {
      const checkout = { worktree, repository };
      try {
        const file = await git.prepareHooks(checkout, job.id, commit);
        for (const [name, args] of [
          [hooks.before, []],
          [hooks.message, [file]],
        ] as const) {
          const command = await git.hookCommand(checkout, job.id, name, args);
          if (command === null) continue;
          const prepare = async () => command;
          const end = await commands.run(job, name, { worktree, author, limitMs: HOOK_LIMIT_MS, prepare });
          requireSuccess(end, `The hook ${name} of ${repository.name}`);
        }
        const message = await git.preparedMessage(checkout, job.id);
        if (message.trim() !== '') return message;
        throw new ConsoleError(
          'CONFLICT',
          `The hook ${hooks.message} left an empty message, so nothing was committed.`,
          {},
        );
      } finally {
        await git.dropPrepared(checkout, job.id);
      }
    },
  };
}

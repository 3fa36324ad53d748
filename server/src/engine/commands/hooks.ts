import { ConsoleError } from '@agent-console/shared/errors';
import { HOOK_LIMIT_MS } from '@agent-console/shared/limits/commands';
import * as v from 'valibot';
import type { Git } from '../../ports/git.ts';
import type { JobRow, RepositoryRow, WorktreeRow } from '../../ports/rows.ts';
import type { Author, Storage } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import type { Commands } from './commands.ts';
import { requireSuccess } from './success.ts';

interface HookTarget {
  worktree: WorktreeRow;
  repository: RepositoryRow;
  /** Commit that the target branch points to; `commit` was made on top of it. */
  into: string;
  commit: string;
  author: Author;
}

/**
 * State of a job's hooks. Stored when the hooks start, and again with the message when the hooks have accepted the
 * commit.
 */
const Hooked = v.object({
  into: v.string(),
  /** The commit message as the last hook left it. */
  message: v.optional(v.string()),
});
const Stored = v.object({ hooked: v.optional(Hooked) });

/** Runs hooks of repositories in command workers, for commits that are not made in a checkout. */
export interface Hooks {
  /**
   * Runs the repository's hooks for a commit, one after the other. Returns the message, which hooks can change. After a
   * crash, only hooks that have not run are run. If all have run, returns the stored message.
   * @throws CONFLICT or TIMEOUT with the last output of a hook that failed; CONFLICT if the hooks emptied the message.
   */
  run(job: JobRow, target: HookTarget, hooks: { before: string; message: string }): Promise<string>;
  /**
   * Returns the commit of the target branch for which the hooks of a job were started; null if none were started. The
   * result of the hooks is valid only for this commit.
   */
  startedOn(job: JobRow): Promise<string | null>;
}

export function createHooks({ git, commands, storage }: { git: Git; commands: Commands; storage: Storage }): Hooks {
  const hookedOf = async ({ id }: JobRow) => v.parse(Stored, (await storage.read.jobs.get(id))?.params ?? {}).hooked;

  async function store({ id }: JobRow, hooked: v.InferOutput<typeof Hooked>): Promise<void> {
    await storage.write(SYSTEM, async (tx) => {
      const row = await tx.jobs.get(id);
      await tx.jobs.update(id, { params: { ...row?.params, hooked } });
    });
  }

  return {
    startedOn: async (job) => (await hookedOf(job))?.into ?? null,
    async run(job, { worktree, repository, into, commit, author }, hooks) {
      const known = await hookedOf(job);
      if (known?.message !== undefined) return known.message;
      if (known === undefined) await store(job, { into });
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
        if (message.trim() === '') {
          const why = `The hook ${hooks.message} emptied the commit message, so nothing was committed.`;
          throw new ConsoleError('CONFLICT', why, {});
        }
        // Stores the message before its file is deleted. Otherwise, a crash could lose the message, because completed
        // hooks are not run again.
        await store(job, { into, message });
        return message;
      } finally {
        await git.dropPrepared(checkout, job.id);
      }
    },
  };
}

import { join } from 'node:path';
import { ConsoleError } from '@agent-console/shared/errors';
import { HOOK_LIMIT_MS } from '@agent-console/shared/limits/commands';
import type { JobResultOf } from '@agent-console/shared/models/job-result';
import * as v from 'valibot';
import type { JobRow, RepositoryRow, WorktreeRow } from '../../ports/rows.ts';
import { authorOfJob } from '../changes/author.ts';
import { requireSuccess } from '../commands/success.ts';
import { retryWhileBusy } from '../scheduling/jobs.ts';
import { addParams, aloneIn, type ChangeContext, type ChangeWork, checkoutOfJob, type Progress } from './context.ts';

const CommitParams = v.object({
  worktreeId: v.string(),
  message: v.string(),
  paths: v.nullable(v.array(v.string())),
  /** Whether git runs the repository's hooks. */
  hooks: v.boolean(),
});
export type CommitParams = v.InferOutput<typeof CommitParams>;

/** Data with which the next server continues after a crash; stored before the commit is made. */
const Prepared = v.object({
  before: v.nullable(v.string()),
  hooked: v.boolean(),
  files: v.number(),
  leftOut: v.array(v.string()),
});
type Prepared = v.InferOutput<typeof Prepared>;
const Stored = v.object({ prepared: v.optional(Prepared) });

interface Target {
  worktree: WorktreeRow;
  repository: RepositoryRow;
}

/**
 * Commits changes of a worktree. If the repository's hooks run, git runs in a terminal worker, where people can watch
 * the hooks.
 */
export function commitWork(context: ChangeContext): ChangeWork {
  const { git, storage } = context;

  const preparedOf = async ({ id }: JobRow) =>
    v.parse(Stored, (await storage.read.jobs.get(id))?.params ?? {}).prepared;

  async function prepare(job: JobRow, target: Target, { hooks, paths }: CommitParams): Promise<Prepared> {
    const { before, files, leftOut } = await git.prepareCommit(target, job.id, paths ?? undefined);
    const hooked = hooks && (await git.hooksFolder(target)) !== null;
    const prepared = { before, hooked, files, leftOut };
    await addParams(context, job, { prepared });
    return prepared;
  }

  async function makeCommit(job: JobRow, target: Target, params: CommitParams, progress: Progress): Promise<Prepared> {
    progress(0.1, 'preparing the commit');
    const stored = await preparedOf(job);
    const prepared = stored ?? (await prepare(job, target, params));
    const { message } = params;
    const { before } = prepared;
    if (prepared.hooked) {
      progress(0.5, 'committing with hooks');
      const end = await context.commands.run(job, 'commit', {
        worktree: target.worktree,
        author: authorOfJob(job),
        limitMs: HOOK_LIMIT_MS,
        prepare: async (folder) => ({
          ...(await git.commitCommand(target, job.id, { messageFile: join(folder, 'message'), before })),
          files: { message },
        }),
      });
      const moved = git.movedError(target, end.exitCode);
      if (moved !== null) throw moved;
      requireSuccess(end, 'git commit with the hooks of the repository');
      return prepared;
    }
    progress(0.5, 'committing');
    if (stored !== undefined) {
      if ((await git.committed(target, job.id, { message, before })) !== null) return stored;
      await git.prepareCommit(target, job.id, params.paths ?? undefined);
    }
    await git.commit(target, job.id, { message, before });
    return prepared;
  }

  /**
   * Returns the prepared data, with the error as a warning, if the commit was made before the error. An example is an
   * error of a hook that runs after the commit. If the commit was not made, throws the error.
   */
  async function resultAfterError(job: JobRow, target: Target, { message }: CommitParams, error: unknown) {
    const prepared = await preparedOf(job);
    const { before = null } = prepared ?? {};
    const made = prepared === undefined ? null : await git.committed(target, job.id, { message, before });
    if (prepared !== undefined && made !== null && error instanceof ConsoleError) {
      return { ...prepared, warnings: [error.message] };
    }
    await git.dropPrepared(target, job.id);
    throw error;
  }

  /** Updates the worktree's index. Returns the commit, and a warning if the index could not be updated. */
  async function finish(job: JobRow, target: Target, before: string | null) {
    try {
      return { commit: await git.finishCommit(target, job.id, before), unfinished: [] };
    } catch (error) {
      if (!(error instanceof ConsoleError)) throw error;
      await git.dropPrepared(target, job.id);
      const advice = `Then run: git -C '${target.worktree.path}' reset`;
      const warning = `The commit was made, but the git index of the worktree was not updated, so the next commit would undo it. ${error.message} ${advice}`;
      return { commit: await git.head(target), unfinished: [warning] };
    }
  }

  return async (job, progress) => {
    const params = v.parse(CommitParams, job.params);
    const target = await checkoutOfJob(context, params.worktreeId);
    return aloneIn(context, params.worktreeId, async () => {
      const made = await makeCommit(job, target, params, progress).then(
        (prepared) => ({ ...prepared, warnings: [] as string[] }),
        (error) => resultAfterError(job, target, params, error),
      );
      progress(0.9, 'updating the git index of the worktree');
      const { commit, unfinished } = await finish(job, target, made.before);
      await storeCommit(context, job, target.worktree, commit);
      const { files, leftOut, hooked: hooks } = made;
      const warnings = [...made.warnings, ...unfinished];
      return { commit, files, leftOut, hooks, warnings } satisfies JobResultOf<'commit'>;
    });
  };
}

async function storeCommit({ storage }: ChangeContext, job: JobRow, { id }: WorktreeRow, commit: string) {
  // The commit exists already, so the job must not fail because the database is busy.
  await retryWhileBusy(() =>
    storage.write(authorOfJob(job), async (tx) => {
      await tx.worktrees.update(id, { currentSha: commit });
      const data = { worktreeId: id, commit };
      await tx.record({ type: 'worktree.committed', subject: { kind: 'worktree', id }, data });
    }),
  );
}

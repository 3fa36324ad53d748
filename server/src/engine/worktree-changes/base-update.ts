import type { JobResultOf } from '@agent-console/shared/models/job-result';
import { authorOfJob } from '../changes/author.ts';
import { repositoryRow, worktreeRow } from '../rows.ts';
import { retryWhileBusy } from '../scheduling/jobs.ts';
import { refuseMidTurn } from '../worktrees/occupancy.ts';
import { type BaseContext, refreshBase, tipOfBase } from './base-refresh.ts';
import { type BaseUpdateParams, baseUpdateParams } from './base-update-params.ts';
import { addParams, aloneIn, type ChangeWork, checkoutOfJob } from './context.ts';

type Moved = NonNullable<BaseUpdateParams['moved']>;

/**
 * Merges the base into a worktree's branch, or rebases the branch. If there are conflicts, the branch does not change,
 * and the result lists the conflicts.
 */
export function baseUpdateWork(context: BaseContext): ChangeWork {
  const { git, storage, maker } = context;

  async function update(
    job: Parameters<ChangeWork>[0],
    { branch, base, strategy, worktreeId }: BaseUpdateParams,
    progress: Parameters<ChangeWork>[1],
  ): Promise<Omit<JobResultOf<'base-update'>, 'warnings'>> {
    const { repository, worktree } = await checkoutOfJob(context, worktreeId);
    const { moved: known } = baseUpdateParams((await storage.read.jobs.get(job.id)) ?? job);
    if (known !== undefined && (await git.settleMove(repository, known.move)) === 'after') return finish(job, known);
    progress(0.1, 'combining commits');
    const before = await git.tipOf(repository, branch);
    const baseSha = await tipOfBase(context, job, repository);
    if (await git.isAncestor(repository, baseSha, before)) return { commit: before, before, base, conflicts: [] };
    const into = strategy === 'merge' ? before : baseSha;
    const from = strategy === 'merge' ? baseSha : before;
    const message = `Merge branch '${base}' into ${branch}\n`;
    const isBehind = await git.isAncestor(repository, before, baseSha);
    const combined = isBehind
      ? { commit: baseSha, conflicts: [] }
      : await git.combine(repository, { strategy, into, from, message });
    if (combined.commit === null) return { commit: null, before, base, conflicts: combined.conflicts };
    const work = strategy === 'merge' ? `merge of ${base} into ${branch}` : `rebase of ${branch} onto ${base}`;
    const reason = `agent-console: ${work}`;
    const moved: Moved = { move: { branch, from: before, to: combined.commit, reason }, baseSha };
    // The move is stored before the branch is moved, so that the next server can determine whether the move was made.
    await addParams(context, job, { moved });
    progress(0.6, `updating ${branch}`);
    // Running turns are looked for once more. An agent may have begun a turn while the job waited for a fetch, for
    // other jobs or for a restart of the server.
    await refuseMidTurn(storage.read, worktree, authorOfJob(job).viaSessionId);
    await git.moveBranch(repository, moved.move);
    return finish(job, moved);
  }

  async function finish(
    job: Parameters<ChangeWork>[0],
    { move, baseSha }: Moved,
  ): Promise<Omit<JobResultOf<'base-update'>, 'warnings'>> {
    const { worktreeId, base } = baseUpdateParams(job);
    const stored = () =>
      storage.write(authorOfJob(job), async (tx) => {
        await tx.worktrees.update(worktreeId, { currentSha: move.to, baseSha });
        const subject = { kind: 'worktree', id: worktreeId } as const;
        await tx.record({ type: 'worktree.rebased', subject, data: { worktreeId, commit: move.to, base } });
      });
    // The branch is already moved, so the job must not fail because the disk is full or the database is locked.
    await retryWhileBusy(stored);
    return { commit: move.to, before: move.from, base, conflicts: [] };
  }

  return async (job, progress) => {
    const params = baseUpdateParams((await storage.read.jobs.get(job.id)) ?? job);
    const { repositoryId } = await worktreeRow(storage.read.worktrees, params.worktreeId);
    const repository = await repositoryRow(storage.read.repositories, repositoryId);
    // A crash may have interrupted the fast-forward of the base. It is settled before `checkoutOfJob` can throw, so
    // that the base's checkout does not stay half-changed.
    if (params.baseMove !== undefined) await git.settleMove(repository, params.baseMove);
    await checkoutOfJob(context, params.worktreeId);
    const isFetched = params.fetch && params.moved === undefined;
    if (isFetched) progress(0.05, `fetching ${params.base}`);
    const warnings = isFetched ? await refreshBase(context, job, repository) : [];
    // Integrations into this branch also call `alone` with this key, so that only one job at a time moves the branch.
    const result = await aloneIn(context, params.worktreeId, () =>
      maker.alone(`${repository.id} ${params.branch}`, () => update(job, params, progress)),
    );
    return { ...result, warnings } satisfies JobResultOf<'base-update'>;
  };
}

import type { IntegrationStrategy } from '@agent-console/shared/models/integration';
import type { BranchMove } from '../../ports/git-integration.ts';
import { authorOfJob } from '../author.ts';
import { addParams, aloneIn, type ChangeContext, type ChangeWork, checkoutOfJob } from './context.ts';

/** Parameters of an update of a worktree's branch from its base. */
export interface BaseUpdateParams {
  worktreeId: string;
  branch: string;
  base: string;
  strategy: Extract<IntegrationStrategy, 'merge' | 'rebase'>;
}

interface Moved {
  move: BranchMove;
  baseSha: string;
}

/** Merges the base into a worktree's branch, or rebases the branch. Conflicts change nothing and are the result. */
export function baseUpdateWork(context: ChangeContext): ChangeWork {
  const { git, storage, maker } = context;

  async function update(
    job: Parameters<ChangeWork>[0],
    { branch, base, strategy, worktreeId }: BaseUpdateParams,
    progress: Parameters<ChangeWork>[1],
  ): Promise<Record<string, unknown>> {
    const { repository } = await checkoutOfJob(context, worktreeId);
    const known = (await storage.read.jobs.get(job.id))?.params.moved as Moved | undefined;
    if (known !== undefined && (await git.settleMove(repository, known.move)) === 'after') return finish(job, known);
    progress(0.1, 'combining commits');
    const before = await git.tipOf(repository, branch);
    const baseSha = await git.tipOf(repository, base);
    if (await git.isAncestor(repository, baseSha, before)) return { commit: before, before, base, conflicts: [] };
    const into = strategy === 'merge' ? before : baseSha;
    const from = strategy === 'merge' ? baseSha : before;
    const message = `Merge branch '${base}' into ${branch}\n`;
    const combined = await git.combine(repository, { strategy, into, from, message });
    if (combined.commit === null) return { commit: null, before, base, conflicts: combined.conflicts };
    const reason = `agent-console: ${strategy} of ${base} into ${branch}`;
    const moved: Moved = { move: { branch, from: before, to: combined.commit, reason }, baseSha };
    // Stored before the branch is moved, so that the next server knows whether the move was made.
    await addParams(context, job, { moved });
    progress(0.6, `moving ${branch}`);
    await git.moveBranch(repository, moved.move);
    return finish(job, moved);
  }

  async function finish(job: Parameters<ChangeWork>[0], { move, baseSha }: Moved): Promise<Record<string, unknown>> {
    const { worktreeId, base } = job.params as unknown as BaseUpdateParams;
    await storage.write(authorOfJob(job), async (tx) => {
      await tx.worktrees.update(worktreeId, { currentSha: move.to, baseSha });
      const subject = { kind: 'worktree', id: worktreeId } as const;
      await tx.record({ type: 'worktree.rebased', subject, data: { worktreeId, commit: move.to, base } });
    });
    return { commit: move.to, before: move.from, base, conflicts: [] };
  }

  return async (job, progress) => {
    const params = job.params as unknown as BaseUpdateParams;
    const { repository } = await checkoutOfJob(context, params.worktreeId);
    // The same key as integrations into this branch.
    return aloneIn(context, params.worktreeId, () =>
      maker.alone(`${repository.id} ${params.branch}`, () => update(job, params, progress)),
    );
  };
}

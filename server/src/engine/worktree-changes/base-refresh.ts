import { ConsoleError } from '@agent-console/shared/errors';
import type { JobRow, RepositoryRow } from '../../ports/rows.ts';
import { worktreeRow } from '../rows.ts';
import { baseOf } from '../worktrees/base.ts';
import { baseUpdateParams } from './base-update-params.ts';
import { addParams, type ChangeContext } from './context.ts';

export type BaseContext = Pick<ChangeContext, 'storage' | 'git' | 'maker'>;

/**
 * Returns the commit of the base branch.
 * @throws NOT_FOUND if the base was deleted after the job had been created. The message says how the worktree can be
 * updated nevertheless.
 */
export async function tipOfBase(
  { git, storage }: BaseContext,
  job: JobRow,
  repository: RepositoryRow,
): Promise<string> {
  const { base, branch, worktreeId, moved } = baseUpdateParams((await storage.read.jobs.get(job.id)) ?? job);
  if (await git.branchExists(repository, base)) return git.tipOf(repository, base);
  const next = await baseOf(git, repository, await worktreeRow(storage.read.worktrees, worktreeId));
  const command = moved === undefined ? '' : ` with: git branch ${base} ${moved.baseSha.slice(0, 12)}`;
  const otherwise = next === base ? ', then try again.' : `, or try again to update from ${next}.`;
  const message = `The base branch ${base} no longer exists, so ${branch} was not changed. Create ${base} again${command}${otherwise}`;
  throw new ConsoleError('NOT_FOUND', message, { worktreeId, branch: base });
}

/**
 * Fetches the upstream of the base, and fast-forwards the base and its checkout to it. If this is not possible, returns
 * a warning, and the base is used unchanged.
 */
export async function refreshBase(context: BaseContext, job: JobRow, repository: RepositoryRow): Promise<string[]> {
  const { git, storage, maker } = context;
  const { base, baseMove } = baseUpdateParams((await storage.read.jobs.get(job.id)) ?? job);
  if (baseMove !== undefined && (await git.settleMove(repository, baseMove)) === 'after') return [];
  const upstream = await git.fetchUpstream(repository, base);
  if (upstream === null) return [];
  const { name, commit } = upstream;
  if (commit === null) return [`${name} could not be fetched (${upstream.reason}). ${base} was used as it is.`];
  // Integrations into the base also call `alone` with this key, so that only one job at a time moves the base.
  return maker.alone(`${repository.id} ${base}`, async () => {
    const from = await tipOfBase(context, job, repository);
    if (await git.isAncestor(repository, commit, from)) return [];
    if (!(await git.isAncestor(repository, from, commit))) {
      return [
        `${base} and ${name} have diverged. ${base} was used as it is; to include the new commits of ${name}, merge ${name} into ${base}.`,
      ];
    }
    const move = { branch: base, from, to: commit, reason: `agent-console: fast-forward to ${name}` };
    // The move is stored before the branch is moved, so that the next server completes or undoes the move.
    await addParams(context, job, { baseMove: move });
    try {
      await git.moveBranch(repository, move);
    } catch (error) {
      if (!(error instanceof ConsoleError) || error.code !== 'CONFLICT') throw error;
      return [`${base} could not be fast-forwarded to ${name}, and was used as it is. ${error.message}`];
    }
    return [];
  });
}

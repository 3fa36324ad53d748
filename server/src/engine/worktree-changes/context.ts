import type { Git } from '../../ports/git.ts';
import type { Host } from '../../ports/host.ts';
import type { JobRow, RepositoryRow, WorktreeRow } from '../../ports/rows.ts';
import type { Storage } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import type { Commands } from '../commands/commands.ts';
import { repositoryRow, worktreeRow } from '../rows.ts';
import type { WorktreeMaker } from '../worktrees/maker.ts';
import { notReady } from '../worktrees/occupancy.ts';

export interface ChangeContext extends ChangeDeps {
  storage: Storage;
  git: Git;
  host: Host;
  commands: Commands;
  maker: Pick<WorktreeMaker, 'alone'>;
}

export type Progress = (fraction: number, phase: string) => void;

/** Executes one kind of job. After a crash, the next server calls the function again. */
export type ChangeWork = (job: JobRow, progress: Progress) => Promise<Record<string, unknown>>;

/** Returns the worktree of a job with its repository. @throws CONFLICT if the worktree is not ready. */
export async function checkoutOfJob(
  { storage: { read } }: Pick<ChangeContext, 'storage'>,
  worktreeId: string,
): Promise<{ worktree: WorktreeRow; repository: RepositoryRow }> {
  const worktree = await worktreeRow(read.worktrees, worktreeId);
  if (worktree.state !== 'ready') throw notReady(worktree);
  return { worktree, repository: await repositoryRow(read.repositories, worktree.repositoryId) };
}

/** Adds parameters to a job's row, so that the next server can continue the job after a crash. */
export async function addParams(
  { storage }: Pick<ChangeContext, 'storage'>,
  job: JobRow,
  params: Record<string, unknown>,
): Promise<void> {
  await storage.write(SYSTEM, async (tx) => {
    const row = await tx.jobs.get(job.id);
    await tx.jobs.update(job.id, { params: { ...row?.params, ...params } });
  });
}

/** Runs `work` while no other call of this function works on the same worktree. */
export function aloneIn<T>(
  { maker }: Pick<ChangeContext, 'maker'>,
  worktreeId: string,
  work: () => Promise<T>,
): Promise<T> {
  return maker.alone(`changes of ${worktreeId}`, work);
}

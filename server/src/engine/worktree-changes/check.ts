import { CHECK_LIMIT_MS } from '@agent-console/shared/limits/commands';
import type { JobResultOf } from '@agent-console/shared/models/job-result';
import type { JobRow, WorktreeCheckRow, WorktreeRow } from '../../ports/rows.ts';
import type { Author, Readers, Transaction } from '../../ports/storage.ts';
import { authorOfJob, SYSTEM } from '../changes/author.ts';
import type { CommandEnd } from '../commands/commands.ts';
import { type Jobs, retryWhileBusy } from '../scheduling/jobs.ts';
import { presentCheck } from '../worktrees/git-status.ts';
import { type ChangeContext, type ChangeWork, checkoutOfJob } from './context.ts';

/**
 * Returns the running check of a worktree. A check that is stored as running although its job has ended does not count:
 * the end of the check could not be stored, for example because the disk was full.
 */
export async function runningCheck(
  { worktreeChecks, jobs }: Pick<Readers, 'worktreeChecks' | 'jobs'>,
  worktreeId: string,
): Promise<WorktreeCheckRow | undefined> {
  for (const row of await worktreeChecks.find({ worktreeId, state: 'running' })) {
    if ((await jobs.get(row.jobId))?.state === 'running') return row;
  }
  return undefined;
}

/**
 * Stores a check and its job in the caller's transaction. If a check of the worktree is already running, returns the
 * job of that check instead.
 */
export async function createCheck(
  tx: Transaction,
  deps: { jobs: Pick<Jobs, 'create'>; now: () => Date; newId: () => string },
  author: Author,
  plan: { worktree: WorktreeRow; command: string; commit: string; clean: boolean },
): Promise<{ jobId: string; created: JobRow | null }> {
  const { worktree, command, commit, clean } = plan;
  const running = await runningCheck(tx, worktree.id);
  if (running !== undefined) return { jobId: running.jobId, created: null };
  const createdAt = deps.now().toISOString();
  for (const { id } of await tx.worktreeChecks.find({ worktreeId: worktree.id, state: 'running' })) {
    await tx.worktreeChecks.update(id, { state: 'lost', endedAt: createdAt });
  }
  const job = await deps.jobs.create(tx, author, 'check', { worktreeId: worktree.id });
  await tx.worktreeChecks.insert({
    id: deps.newId(),
    repositoryId: worktree.repositoryId,
    worktreeId: worktree.id,
    jobId: job.id,
    commit,
    clean,
    command,
    createdAt,
  });
  return { jobId: job.id, created: job };
}

/** Runs the check command of a worktree, and stores its result for the worktree's commit. */
export function checkWork(context: ChangeContext): ChangeWork {
  const { storage, git, commands } = context;
  return async (job, progress) => {
    const row = await storage.read.worktreeChecks.first({ jobId: job.id });
    if (row === undefined) throw new Error(`check of job ${job.id} has no row`);
    try {
      const { worktree, repository } = await checkoutOfJob(context, row.worktreeId);
      progress(0.1, 'running the check command');
      const end = await commands.run(job, 'check', {
        worktree,
        author: authorOfJob(job),
        limitMs: CHECK_LIMIT_MS,
        prepare: async () => ({ file: '/bin/sh', args: ['-c', row.command], env: {} }),
      });
      const after = await git.state({ repository, worktree });
      // If files changed while the command ran, the result does not apply to the commit alone.
      const clean = row.clean && !after.hasChanges && after.currentSha === row.commit;
      const ended = await storeResult(context, job, row, end, clean);
      const { timedOut, output } = end;
      return { check: presentCheck(ended), timedOut, output } satisfies JobResultOf<'check'>;
    } catch (error) {
      const endedAt = context.now().toISOString();
      await retryWhileBusy(() =>
        storage.write(SYSTEM, (tx) => tx.worktreeChecks.update(row.id, { state: 'lost', endedAt })),
      );
      throw error;
    }
  };
}

async function storeResult(
  { storage, now }: ChangeContext,
  job: JobRow,
  row: WorktreeCheckRow,
  { exitCode, timedOut, workerId, durationMs }: CommandEnd,
  clean: boolean,
): Promise<WorktreeCheckRow> {
  const passed = exitCode === 0 && !timedOut;
  const patch = {
    clean,
    state: passed ? 'passed' : 'failed',
    exitCode,
    workerId,
    endedAt: now().toISOString(),
  } as const;
  const store = () =>
    storage.write(authorOfJob(job), async (tx) => {
      await tx.worktreeChecks.update(row.id, patch);
      const { worktreeId, commit } = row;
      const data = { worktreeId, commit, passed, exitCode, durationMs };
      await tx.record({ type: 'worktree.checked', subject: { kind: 'worktree', id: worktreeId }, data });
    });
  await retryWhileBusy(store);
  return { ...row, ...patch };
}

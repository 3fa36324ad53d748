import type { Job } from '@agent-console/shared/models/job';
import type { JobRow } from '../../ports/rows.ts';
import type { Jobs } from '../scheduling/jobs.ts';
import { baseUpdateWork } from './base-update.ts';
import { checkWork } from './check.ts';
import { commitWork } from './commit.ts';
import type { ChangeWork } from './context.ts';
import { type PullRequestContext, pullRequestWork } from './pull-request.ts';
import { pushWork } from './push.ts';

export type ChangeKind = Extract<Job['kind'], 'check' | 'commit' | 'base-update' | 'push' | 'pull-request'>;

/** Runs the jobs that check and change worktrees. */
export interface WorktreeChanges {
  handles(kind: JobRow['kind']): boolean;
  /**
   * Runs a stored job, even if a crash interrupted an earlier run; never rejects. If the job is already running, waits
   * for its end.
   */
  run(job: JobRow): Promise<void>;
  /** Resolves when the job is not running any more. */
  ended(jobId: string): Promise<void>;
}

export function createWorktreeChanges(context: PullRequestContext & { jobs: Pick<Jobs, 'run'> }): WorktreeChanges {
  const works: Record<ChangeKind, ChangeWork> = {
    check: checkWork(context),
    commit: commitWork(context),
    'base-update': baseUpdateWork(context),
    push: pushWork(context),
    'pull-request': pullRequestWork(context),
  };
  const running = new Map<string, Promise<void>>();
  return {
    handles: (kind) => kind in works,
    run(job) {
      const known = running.get(job.id);
      if (known !== undefined) return known;
      const work = works[job.kind as ChangeKind];
      const done = context.jobs.run(job, (progress) => work(job, progress)).finally(() => running.delete(job.id));
      running.set(job.id, done);
      return done;
    },
    ended: (jobId) => running.get(jobId) ?? Promise.resolve(),
  };
}

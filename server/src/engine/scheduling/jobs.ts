import { setTimeout } from 'node:timers/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import type { JobRow } from '../../ports/rows.ts';
import type { Author, Storage, Transaction } from '../../ports/storage.ts';
import { authorOfJob } from '../changes/author.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import { toStoredError } from '../present.ts';

/** Background jobs. The start and end of a job are stored, so that a caller can query the result even after a crash. */
export interface Jobs {
  /** Stores the job in the caller's transaction. Call `run` after the commit. */
  create(tx: Transaction, author: Author, kind: JobRow['kind'], params: Record<string, unknown>): Promise<JobRow>;
  /** Runs the job and stores its result; never rejects. */
  run(
    job: JobRow,
    work: (progress: (fraction: number, phase: string) => void) => Promise<Record<string, unknown>>,
  ): Promise<void>;
  /** Stores the result of a job that the previous server did not finish, without running the job again. */
  succeed(job: JobRow, result: Record<string, unknown>): Promise<void>;
  fail(job: JobRow, error: unknown): Promise<void>;
  /**
   * Jobs that have not ended. At the start of a server, these are the jobs that were running when the previous server
   * died.
   */
  unfinished(): Promise<JobRow[]>;
  /** Progress of a running job. It is stored in memory only, to avoid a write for each change. */
  progress(id: string): { fraction: number; phase: string } | undefined;
}

export function createJobs({
  storage,
  now,
  newId,
  onError,
}: ChangeDeps & {
  storage: Storage;
  /** Called for an unexpected error of a job. The error that is stored with the job only refers to the server log. */
  onError: (error: unknown, jobId: string) => void;
}): Jobs {
  const progressOf = new Map<string, { fraction: number; phase: string }>();

  async function end(job: JobRow, patch: Partial<JobRow>, type: 'job.succeeded' | 'job.failed'): Promise<void> {
    await storage.write({ actor: job.actor }, async (tx) => {
      await tx.jobs.update(job.id, { ...patch, endedAt: now().toISOString() });
      await tx.record({
        type,
        subject: { kind: 'job', id: job.id },
        sessionId: await sessionOf(tx, job),
        // The error of a dry run is left out, because people who see its events may not be allowed to read its result.
        data: { ...aboutJob(job), ...(patch.error && job.params.dryRun !== true ? { error: patch.error } : {}) },
      });
    });
  }

  const succeed: Jobs['succeed'] = (job, result) =>
    end(job, { state: 'succeeded', result, fraction: 1, phase: 'done' }, 'job.succeeded');
  /** Reports an unexpected error. Returns a function that stores the job as failed, and that can be called again. */
  const failureOf = (job: JobRow, error: unknown) => {
    const { code, message, details } = toStoredError(error);
    if (code === 'INTERNAL') onError(error, job.id);
    const { fraction, phase } = progressOf.get(job.id) ?? job;
    return () => end(job, { state: 'failed', error: { code, message, details }, fraction, phase }, 'job.failed');
  };

  return {
    async create(tx, author, kind, params) {
      const job = await tx.jobs.insert({
        id: newId(),
        kind,
        params,
        actor: author.actor,
        createdAt: now().toISOString(),
      });
      await tx.record({
        type: 'job.started',
        subject: { kind: 'job', id: job.id },
        sessionId: await sessionOf(tx, job),
        data: aboutJob(job),
      });
      return job;
    },
    async run(job, work) {
      const ended = await work((fraction, phase) => progressOf.set(job.id, { fraction, phase })).then(
        (result) => () => succeed(job, result),
        (error) => failureOf(job, error),
      );
      await untilStored(ended);
      progressOf.delete(job.id);
    },
    succeed,
    fail: (job, error) => failureOf(job, error)(),
    unfinished: () => storage.read.jobs.find({ state: 'running' }),
    progress: (id) => progressOf.get(id),
  };
}

/**
 * Returns the data of a job's events. The data says whether the job is a dry run, so that nobody takes a dry run for
 * the change itself.
 */
function aboutJob({ kind, params }: JobRow): Record<string, unknown> {
  return { kind, ...(params.dryRun === true ? { dryRun: true } : {}) };
}

/**
 * Returns the session that a job's events are about. Users who cannot see the session do not get the events. Null if
 * the job is about no session, for example if it belongs to a worktree or repository, or is a dry run of a person.
 */
async function sessionOf({ delegations }: Pick<Transaction, 'delegations'>, job: JobRow): Promise<string | null> {
  const { dryRun, delegationId, quotedSessionId } = job.params;
  if (typeof quotedSessionId === 'string') return quotedSessionId;
  if (typeof delegationId === 'string') return (await delegations.get(delegationId))?.sessionId ?? null;
  return (dryRun === true ? authorOfJob(job).viaSessionId : undefined) ?? null;
}

/** Interval between attempts to store a result while the disk is full or the database is locked. */
const STORE_RETRY_MS = 1_000;
/** Maximum number of attempts to store a result. After that, the next server start determines the result of the job. */
const STORE_ATTEMPTS = 600;

async function untilStored(store: () => Promise<void>): Promise<void> {
  for (let attempt = 1; attempt <= STORE_ATTEMPTS; attempt += 1) {
    try {
      return await store();
    } catch {
      await pause();
    }
  }
}

/**
 * Repeats `work` while it fails with BUSY, which means that the database is locked or the disk is full. Throws any
 * other error, and BUSY after STORE_ATTEMPTS attempts.
 */
export async function retryWhileBusy<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConsoleError) || error.code !== 'BUSY' || attempt === STORE_ATTEMPTS) throw error;
      await pause();
    }
  }
}

function pause(): Promise<void> {
  return setTimeout(STORE_RETRY_MS, undefined, { ref: false });
}

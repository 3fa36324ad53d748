import { ConsoleError } from '@agent-console/shared/errors';
import type { JobRow } from '../../ports/rows/worktrees.ts';
import type { Author, Storage, Transaction } from '../../ports/storage.ts';
import { storableError } from '../present.ts';
import type { ChangeDeps } from '../task-changes.ts';

/** Background chores: stored when they begin and when they end, so that a caller can ask for them after a crash. */
export interface Jobs {
  /** Stores the job in the caller's transaction; `run` it after the commit. */
  create(tx: Transaction, author: Author, kind: JobRow['kind'], params: Record<string, unknown>): Promise<JobRow>;
  /** Runs the chore and stores how it ended; never rejects. */
  run(
    job: JobRow,
    work: (progress: (fraction: number, phase: string) => void) => Promise<Record<string, unknown>>,
  ): Promise<void>;
  /** Stores how a job ended that a dead server left running. */
  succeed(job: JobRow, result: Record<string, unknown>): Promise<void>;
  fail(job: JobRow, error: unknown): Promise<void>;
  /** Jobs that were running when the server died. */
  unfinished(): Promise<JobRow[]>;
  /** Live progress of a running job, which is not worth a write each time. */
  progress(id: string): { fraction: number; phase: string } | undefined;
}

export function createJobs({ storage, now, newId }: ChangeDeps & { storage: Storage }): Jobs {
  const live = new Map<string, { fraction: number; phase: string }>();

  async function end(job: JobRow, patch: Partial<JobRow>, type: 'job.succeeded' | 'job.failed'): Promise<void> {
    await storage.write({ actor: job.actor }, async (tx) => {
      await tx.jobs.update(job.id, { ...patch, endedAt: now().toISOString() });
      await tx.record({
        type,
        subject: { kind: 'job', id: job.id },
        data: { kind: job.kind, ...(patch.error ? { error: patch.error } : {}) },
      });
    });
  }

  const succeed: Jobs['succeed'] = (job, result) =>
    end(job, { state: 'succeeded', result, fraction: 1, phase: 'done' }, 'job.succeeded');
  const fail: Jobs['fail'] = (job, error) => {
    const { code, message, details } = storableError(error);
    const { fraction, phase } = live.get(job.id) ?? job;
    return end(job, { state: 'failed', error: { code, message, details }, fraction, phase }, 'job.failed');
  };

  return {
    async create(tx, author, kind, params) {
      const job: JobRow = {
        id: newId(),
        kind,
        state: 'running',
        fraction: 0,
        phase: 'queued',
        params,
        result: null,
        error: null,
        actor: author.actor,
        createdAt: now().toISOString(),
        endedAt: null,
      };
      await tx.jobs.insert(job);
      await tx.record({ type: 'job.started', subject: { kind: 'job', id: job.id }, data: { kind } });
      return job;
    },
    async run(job, work) {
      const ended = await work((fraction, phase) => live.set(job.id, { fraction, phase })).then(
        (result) => () => succeed(job, result),
        (error) => () => fail(job, error),
      );
      await untilStored(ended);
      live.delete(job.id);
    },
    succeed,
    fail,
    unfinished: () => storage.read.jobs.find({ state: 'running' }),
    progress: (id) => live.get(id),
  };
}

/** Between attempts to store how a job ended, while the disk is full or the database busy. */
const STORE_AGAIN_MS = 1_000;
/** After so many attempts the next start of the server finds out by itself. */
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

/** Does what may be done again from its beginning, until the database takes it; every other error is the caller's. */
export async function whileBusy<T>(work: () => Promise<T>): Promise<T> {
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
  return new Promise((resolve) => {
    setTimeout(resolve, STORE_AGAIN_MS).unref();
  });
}

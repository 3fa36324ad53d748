import { SYSTEM } from '../author.ts';
import type { JobRow } from '../ports/rows.ts';
import type { Author, Storage, Transaction } from '../ports/storage.ts';
import { storableError } from '../present.ts';
import type { Pen } from '../task-changes.ts';

/** Background chores: stored when they begin and when they end, so that a caller can ask for them after a crash. */
export interface Jobs {
  /** Stores the job in the caller's transaction; `run` it after the commit. */
  create(tx: Transaction, author: Author, kind: JobRow['kind'], params: Record<string, unknown>): Promise<JobRow>;
  /** Runs the chore and stores how it ended; never rejects. */
  run(
    job: JobRow,
    work: (progress: (fraction: number, phase: string) => void) => Promise<Record<string, unknown>>,
  ): Promise<void>;
  /** Jobs that were running when the server died. */
  unfinished(): Promise<JobRow[]>;
  /** Live progress of a running job, which is not worth a write each time. */
  progress(id: string): { fraction: number; phase: string } | undefined;
}

export function createJobs({ storage, now, newId }: Pen & { storage: Storage }): Jobs {
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
      try {
        const result = await work((fraction, phase) => live.set(job.id, { fraction, phase }));
        await end(job, { state: 'succeeded', result, fraction: 1, phase: 'done' }, 'job.succeeded');
      } catch (error) {
        const { code, message, details } = storableError(error);
        const { fraction, phase } = live.get(job.id) ?? job;
        await end(job, { state: 'failed', error: { code, message, details }, fraction, phase }, 'job.failed');
      } finally {
        live.delete(job.id);
      }
    },
    unfinished: () => storage.read.jobs.find({ state: 'running' }),
    progress: (id) => live.get(id),
  };
}

/** A job that cannot go on after a restart. */
export async function failInterrupted(storage: Storage, job: JobRow, now: () => Date): Promise<void> {
  await storage.write(SYSTEM, async (tx) => {
    const message = 'The server was restarted before this was done, and what had begun was undone. Ask again.';
    await tx.jobs.update(job.id, {
      state: 'failed',
      error: { code: 'BUSY', message, details: {} },
      endedAt: now().toISOString(),
    });
    await tx.record({ type: 'job.failed', subject: { kind: 'job', id: job.id }, data: { kind: job.kind } });
  });
}

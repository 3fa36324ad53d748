import { ConsoleError } from '@agent-console/shared/errors';
import { RECOVERIES_KEPT_MAX, RECOVERIES_KEPT_MAX_BYTES, RECOVERY_KEPT_MS } from '@agent-console/shared/limits/git';
import { SYSTEM } from '../changes/author.ts';
import type { EngineContext } from '../context.ts';
import { sweepWorktrees } from '../recovery.ts';
import { sweepImages } from '../sessions/images.ts';
import { startIdleSweep } from './idle-sessions.ts';
import { removeOldRecords } from './retention.ts';

type Needs = Pick<
  EngineContext,
  | 'storage'
  | 'git'
  | 'hub'
  | 'settings'
  | 'saga'
  | 'orchestrationCleanup'
  | 'maker'
  | 'jobs'
  | 'catalogue'
  | 'kinds'
  | 'keyTimes'
  | 'images'
  | 'now'
>;

async function removeOld(needs: Needs, onError: (error: unknown) => void, signal: AbortSignal): Promise<void> {
  const { storage, hub, now } = needs;
  await storage.write(SYSTEM, (tx) => removeOldRecords(tx, now(), hub.lastSeq()));
  await pruneRefs(needs, onError, signal);
}

/**
 * In all repositories, deletes recovery refs that are too old or exceed the limits, and old refs that only protect
 * commits from git's garbage collection. If this fails for one repository, continues with the next.
 */
export async function pruneRefs(
  { storage, git, now }: Pick<Needs, 'storage' | 'git' | 'now'>,
  onError: (error: unknown) => void,
  signal?: AbortSignal,
): Promise<void> {
  const before = new Date(now().getTime() - RECOVERY_KEPT_MS);
  const limits = { before, keep: RECOVERIES_KEPT_MAX, bytes: RECOVERIES_KEPT_MAX_BYTES };
  for (const repository of await storage.read.repositories.find({ removedAt: null })) {
    if (signal?.aborted) return;
    try {
      await git.pruneRecoveries(repository, limits);
      await git.pruneKeptCommits(repository, before);
    } catch (error) {
      // A repository whose folder is gone, for example on a disk that is not mounted, has nothing to prune now.
      if (!(error instanceof ConsoleError) || error.code !== 'NOT_FOUND') onError(error);
    }
  }
}

const RETRY_INTERVAL_MS = 60_000;
const CLEANUP_INTERVAL_MS = 60 * 60_000;

/**
 * Starts periodic maintenance. A failing run is reported and does not prevent later runs. `stop` resolves when the
 * running steps have ended.
 */
export function startHousekeeping(needs: Needs, onError: (error: unknown) => void): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = new Map<() => Promise<void>, Promise<void>>();

  /** Starts `work` in the background, unless its previous run is still in progress. */
  function run(work: () => Promise<void>): void {
    if (running.has(work)) return;
    const done = work()
      .catch((error) => {
        if (!signal.aborted) onError(error);
      })
      .finally(() => running.delete(work));
    running.set(work, done);
  }

  const every = (ms: number, work: () => Promise<void>) => setInterval(run, ms, work).unref();
  const cleanUp = () => needs.orchestrationCleanup.sweep();
  const retryUnfinished = async () => {
    await needs.saga.recover();
    await sweepWorktrees(needs, (error) => onError(error), signal);
  };
  // The clean-up also runs at the start, because a server that is often restarted would never reach the first interval.
  run(cleanUp);
  const idle = startIdleSweep(needs, onError);
  const timers = [
    every(RETRY_INTERVAL_MS, retryUnfinished),
    every(CLEANUP_INTERVAL_MS, () => removeOld(needs, onError, signal)),
    every(CLEANUP_INTERVAL_MS, () => sweepImages(needs, { isStarting: false, signal })),
    every(CLEANUP_INTERVAL_MS, cleanUp),
  ];
  return {
    async stop() {
      stopping.abort();
      idle.stop();
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
    },
  };
}

import { LOGIN_UNUSED_MS } from '@agent-console/shared/limits/access';
import { IDEMPOTENCY_KEY_MS } from '@agent-console/shared/limits/calls';
import { RECOVERIES_KEPT_MAX, RECOVERIES_KEPT_MAX_BYTES, RECOVERY_KEPT_MS } from '@agent-console/shared/limits/git';
import { EVENTS_KEPT, EVENTS_KEPT_MS } from '@agent-console/shared/limits/records';
import { SYSTEM } from './author.ts';
import type { EngineContext } from './context.ts';
import { startIdleSweep } from './idle-sessions.ts';
import { sweepWorktrees } from './recovery.ts';

type Needs = Pick<
  EngineContext,
  'storage' | 'git' | 'hub' | 'settings' | 'saga' | 'maker' | 'jobs' | 'catalogue' | 'kinds' | 'keyTimes' | 'now'
>;

async function forgetOld({ storage, git, hub, now }: Needs): Promise<void> {
  const ago = (ms: number) => new Date(now().getTime() - ms);
  await storage.write(SYSTEM, async (tx) => {
    const eventsAt = ago(EVENTS_KEPT_MS).toISOString();
    await tx.prune({
      eventSeq: hub.lastSeq() - EVENTS_KEPT,
      eventsAt,
      idempotencyAt: ago(IDEMPOTENCY_KEY_MS).toISOString(),
    });
    await tx.approvals.remove({ endedAt: { below: eventsAt } });
    // A login is kept for a while after it expires, so that the browser receives the error that the login expired.
    await tx.tokens.remove({ login: true, expiresAt: { below: ago(LOGIN_UNUSED_MS).toISOString() } });
  });
  for (const repository of await storage.read.repositories.find({ removedAt: null })) {
    const before = ago(RECOVERY_KEPT_MS);
    await git.pruneRecoveries(repository, { before, keep: RECOVERIES_KEPT_MAX, bytes: RECOVERIES_KEPT_MAX_BYTES });
    await git.pruneKeptCommits(repository, before);
  }
}

const UNDO_LOOK_MS = 60_000;
const FORGET_LOOK_MS = 60 * 60_000;

/** Starts periodic maintenance. A failing run is reported and does not stop the next run. */
export function startHousekeeping(needs: Needs, onError: (error: unknown) => void): { stop(): void } {
  const every = (ms: number, work: (needs: Needs) => Promise<void>) => {
    const timer = setInterval(() => work(needs).catch(onError), ms);
    timer.unref();
    return timer;
  };
  const again = async () => {
    await needs.saga.recover();
    await sweepWorktrees(needs, (error) => onError(error));
  };
  const idle = startIdleSweep(needs, onError);
  const timers = [every(UNDO_LOOK_MS, again), every(FORGET_LOOK_MS, forgetOld)];
  return {
    stop() {
      idle.stop();
      for (const timer of timers) clearInterval(timer);
    },
  };
}

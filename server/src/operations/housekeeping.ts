import { EVENTS_KEPT, EVENTS_KEPT_MS, IDEMPOTENCY_KEY_MS, RECOVERY_KEPT_MS } from '@agent-console/shared/limits';
import { OPEN_STATUSES } from '../domain/tasks.ts';
import { SYSTEM } from './author.ts';
import type { Kit } from './kit.ts';
import type { SessionRow } from './ports/rows.ts';
import { sweepWorktrees } from './recovery.ts';

type Needs = Pick<
  Kit,
  'storage' | 'git' | 'hub' | 'settings' | 'processes' | 'saga' | 'maker' | 'jobs' | 'catalogue' | 'kinds' | 'now'
>;

/** Delegated sessions whose work is done and whose agent has been idle for long: an idle agent costs 200 MB or more. */
async function pauseIdle(needs: Needs): Promise<void> {
  const { idlePauseMinutes } = await needs.settings.current();
  if (idlePauseMinutes === 0) return;
  const before = new Date(needs.now().getTime() - idlePauseMinutes * 60_000).toISOString();
  const agents = await needs.storage.read.workers.find({
    type: 'agent',
    state: 'running',
    activityState: 'idle',
    activitySince: { below: before },
  });
  for (const agent of agents) {
    const session = await needs.storage.read.sessions.get(agent.sessionId);
    if (session?.parentSessionId != null && (await mayPause(needs, session))) {
      await markPaused(needs, session);
      await needs.processes.end(agent.id);
    }
  }
}

async function mayPause({ storage, catalogue, kinds }: Needs, session: SessionRow): Promise<boolean> {
  const open = await storage.read.tasks.count({ sessionId: session.id, status: [...OPEN_STATUSES] });
  const notices = await storage.read.notices.count({ sessionId: session.id, state: ['pending', 'delivering'] });
  const definition = await catalogue.find(session.agentId);
  return (
    session.mark === 'open' &&
    open === 0 &&
    notices === 0 &&
    definition !== undefined &&
    kinds(definition.kind).supportsResume
  );
}

async function markPaused({ storage, now }: Needs, session: SessionRow): Promise<void> {
  await storage.write(SYSTEM, async (tx) => {
    await tx.sessions.update(session.id, { mark: 'paused', pausedBy: 'idle', updatedAt: now().toISOString() });
    const subject = { kind: 'session', id: session.id } as const;
    await tx.record({ type: 'session.paused', subject, sessionId: session.id, data: { pausedBy: 'idle' } });
  });
}

async function forgetOld({ storage, git, hub, now }: Needs): Promise<void> {
  const ago = (ms: number) => new Date(now().getTime() - ms);
  await storage.write(SYSTEM, (tx) =>
    tx.prune({
      eventSeq: hub.lastSeq() - EVENTS_KEPT,
      eventsAt: ago(EVENTS_KEPT_MS).toISOString(),
      idempotencyAt: ago(IDEMPOTENCY_KEY_MS).toISOString(),
    }),
  );
  for (const repository of await storage.read.repositories.find({ removedAt: null })) {
    await git.pruneRecoveries(repository.path, ago(RECOVERY_KEPT_MS));
  }
}

const IDLE_LOOK_MS = 60_000;
const FORGET_LOOK_MS = 60 * 60_000;

/** Regular work that nobody asks for. One failing round is told and does not stop the next. */
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
  const timers = [every(IDLE_LOOK_MS, pauseIdle), every(IDLE_LOOK_MS, again), every(FORGET_LOOK_MS, forgetOld)];
  return {
    stop() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

import { IDLE_SWEEP_MIN_MS, IDLE_SWEEP_MS } from '@agent-console/shared/limits/sessions';
import { UNFINISHED_LINE_MS } from '@agent-console/shared/limits/typing';
import { LIVE_INPUT } from '../../domain/inputs.ts';
import { isMarkedDone, isPausedWhenIdle } from '../../domain/session-mark.ts';
import { OPEN_STATUSES } from '../../domain/tasks.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { Readers } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import { pauseForIdleness } from '../changes/session-pause.ts';
import { aboutSession } from '../changes/subjects.ts';
import type { EngineContext } from '../context.ts';

type IdleNeeds = Pick<EngineContext, 'storage' | 'catalogue' | 'keyTimes' | 'now'>;
type Needs = IdleNeeds & Pick<EngineContext, 'hub' | 'settings'>;
type Facts = Pick<Readers, 'sessions' | 'workers' | 'tasks' | 'inputs' | 'notices' | 'approvals' | 'events'>;

const MINUTE_MS = 60_000;

/**
 * Starts a periodic sweep that pauses sessions whose work is done and whose agent is idle, because an idle agent uses
 * 200 MB of memory or more. Covers delegated sessions, and sessions marked completed or failed, which keep this mark.
 * The reconciler then ends the processes. An agent that cannot resume its conversation keeps running, and its session
 * is shown as reclaimable.
 */
export function startIdleSweep(needs: Needs, onError: (error: unknown) => void): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let again = false;
  let stopped = false;

  async function sweep(): Promise<void> {
    clearTimeout(timer);
    again = running;
    if (running || stopped) return;
    running = true;
    let next = IDLE_SWEEP_MS;
    try {
      const idleMs = (await needs.settings.current()).idlePauseMinutes * MINUTE_MS;
      if (idleMs > 0) {
        next = Math.min(IDLE_SWEEP_MS, Math.max(IDLE_SWEEP_MIN_MS, idleMs));
        await pauseIdleSessions(needs, idleMs);
      }
    } catch (error) {
      onError(error);
    }
    running = false;
    if (stopped) return;
    if (again) return sweep();
    timer = setTimeout(sweep, next).unref();
  }

  const stopListening = needs.hub.onEvents((events) => {
    if (events.some(({ event }) => event.type === 'settings.updated')) void sweep();
  });
  void sweep();
  return {
    stop() {
      stopped = true;
      stopListening();
      clearTimeout(timer);
    },
  };
}

async function pauseIdleSessions(needs: Needs, idleMs: number): Promise<void> {
  const before = new Date(needs.now().getTime() - idleMs).toISOString();
  const agents = await needs.storage.read.workers.find({
    type: 'agent',
    state: 'running',
    activityState: 'idle',
    activitySince: { below: before },
  });
  for (const { id } of agents) await pauseIfIdle(needs, id, Date.parse(before));
}

/**
 * Pauses the session of an agent if the session is idle. If the agent cannot resume its conversation, only records that
 * the agent keeps running. The transaction checks again whether the session is idle, because a prompt, a key press or a
 * child's notice may have arrived in the meantime.
 */
export async function pauseIfIdle(needs: IdleNeeds, workerId: string, before: number): Promise<void> {
  const { storage, catalogue, now } = needs;
  const idle = await idleSession(needs, storage.read, workerId, before);
  if (idle === undefined) return;
  const canPause = await catalogue.resumes(idle.agentId);
  if (!canPause && (await isKeptRunning(storage.read, idle.id, idle.since))) return;
  await storage.write(SYSTEM, async (tx) => {
    const session = await idleSession(needs, tx, workerId, before);
    if (session === undefined) return;
    if (!canPause) return tx.record({ type: 'session.kept', ...aboutSession(session.id) });
    await pauseForIdleness(tx, { now }, session);
  });
}

/**
 * Returns the agent's session if it is one that is paused when idle, has no work left, and was not used since `before`
 * (milliseconds since the epoch). A session that waits for delegated tasks counts too, because the notices about these
 * tasks resume it.
 */
async function idleSession(
  { keyTimes, now }: IdleNeeds,
  facts: Facts,
  workerId: string,
  before: number,
): Promise<(SessionRow & { since: string }) | undefined> {
  const worker = await facts.workers.get(workerId);
  if (worker === undefined || !isIdle(worker) || touchedAt(worker, keyTimes.lastAt(workerId)) >= before)
    return undefined;
  const { sessionId, dirtySince, activitySince } = worker;
  if (dirtySince !== null && now().getTime() - Date.parse(dirtySince) < UNFINISHED_LINE_MS) return undefined;
  const session = await facts.sessions.get(sessionId);
  if (session === undefined || !isPausedWhenIdle(session)) return undefined;
  if (session.archivedAt !== null || session.removedAt !== null) return undefined;
  const prompts = await facts.tasks.count({ sessionId, kind: 'prompt' });
  const open = await Promise.all([
    facts.tasks.count({ sessionId, status: OPEN_STATUSES }),
    facts.inputs.count({ workerId, state: LIVE_INPUT }),
    // In a session marked completed or failed, pending notices are only delivered with the next prompt, so they do not
    // prevent the pause.
    facts.notices.count({ sessionId, state: isMarkedDone(session) ? 'delivering' : ['pending', 'delivering'] }),
    facts.approvals.count({ sessionId, state: 'pending' }),
  ]);
  return prompts > 0 && open.every((count) => count === 0) ? { ...session, since: activitySince } : undefined;
}

/**
 * Whether the agent is idle. An activity of confidence `guess` does not count, because the agent might be working when
 * its process is ended.
 */
function isIdle({ type, state, activityState, confidence }: WorkerRow): boolean {
  return type === 'agent' && state === 'running' && activityState === 'idle' && confidence !== 'guess';
}

/** Returns when the agent was last active or a person last typed, in milliseconds since the epoch. */
function touchedAt({ activitySince, dirtySince }: WorkerRow, lastKeyAt: number): number {
  return Math.max(Date.parse(activitySince), dirtySince === null ? 0 : Date.parse(dirtySince), lastKeyAt);
}

/**
 * Whether the idle sweep has decided to keep the session's agent running. Decisions before `since`, when the agent
 * became idle, do not count.
 */
export async function isKeptRunning(
  facts: Pick<Readers, 'events'>,
  sessionId: string,
  since: string,
): Promise<boolean> {
  return (await facts.events.first({ sessionId, type: 'session.kept', at: { above: since } })) !== undefined;
}

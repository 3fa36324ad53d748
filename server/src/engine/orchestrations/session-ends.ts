import { ConsoleError } from '@agent-console/shared/errors';
import { AGENT_END_MS } from '@agent-console/shared/limits/orchestrations';
import { PREPARING } from '../../domain/delegation.ts';
import { FINAL_STATES } from '../../domain/orchestration/states.ts';
import { LIVE_STATES } from '../../domain/states.ts';
import { isOpen } from '../../domain/tasks.ts';
import type { CommittedEvent } from '../../ports/events.ts';
import type { OrchestrationAgentRow, OrchestrationAttemptRow, OrchestrationRow, WorkerRow } from '../../ports/rows.ts';
import type { Readers, Storage } from '../../ports/storage.ts';
import { resolversOf } from '../budgets/use.ts';
import type { OrchestrationActions } from './actions.ts';
import { endOfCancelled, hasOpenTask, isContinued, workEndOf } from './continued.ts';
import type { Settled } from './settle.ts';

/** Ends the processes that an orchestration no longer needs. */
export interface SessionEnds {
  /**
   * Interrupts the sessions of paused agents, and stops the sessions of agents that were cancelled or timed out. The
   * processes of finished agents and of earlier attempts are ended once they are idle, or AGENT_END_MS after the end of
   * the orchestration. A session that somebody has continued since its work for the orchestration ended is left alone,
   * but an agent that may still do cancelled work is replaced first.
   * Returns the time at which `apply` must be called again, in milliseconds since the epoch; null if there is no such
   * time.
   */
  apply(settled: Settled): Promise<number | null>;
  /**
   * Immediately ends the processes of an ended orchestration, even while agents write a last message.
   * @throws the first error, after trying to end all agents: TIMEOUT if an agent takes too long to end. CONFLICT if an
   * agent keeps running, because its session has an open task, a person has typed an unfinished line in its terminal, or
   * somebody has continued its conversation, which it could not resume later.
   */
  endAll(orchestrationId: string): Promise<void>;
  /**
   * Returns the id of the orchestration for which `apply` must be called again after this event; undefined if there is
   * none.
   */
  affectedBy(event: CommittedEvent): string | undefined;
}

interface Deps {
  storage: Storage;
  actions: OrchestrationActions;
  pauseIfIdle: (workerId: string, before: number) => Promise<void>;
  now: () => Date;
}

export function createSessionEnds({ storage, actions, pauseIfIdle, now }: Deps): SessionEnds {
  const { read } = storage;
  /** Ids of orchestrations, by the id of each session whose process must still be interrupted or ended. */
  const watched = new Map<string, string>();

  async function interruptPaused(orchestrationId: string, agents: readonly OrchestrationAgentRow[]): Promise<void> {
    for (const { state, sessionId, taskId } of agents) {
      if (state !== 'paused' || sessionId === null || taskId === null) continue;
      const task = await read.tasks.get(taskId);
      if (task === undefined || !isOpen(task.status)) continue;
      // An interrupt would undo a delegation that is still being prepared, and the agent would fail. So the interrupt
      // waits until the delegation is prepared.
      watched.set(sessionId, orchestrationId);
      if ((await read.delegations.count({ sessionId, state: [...PREPARING] })) > 0) continue;
      await actions.interrupt(sessionId);
    }
  }

  /**
   * Stops the sessions that resolve conflicts of a cancelled orchestration, even if their agents are still starting.
   */
  async function stopResolvers(orchestration: OrchestrationRow): Promise<void> {
    for (const sessionId of await resolversOf(read, orchestration)) {
      if (!(await hasOpenTask(read, sessionId))) continue;
      await actions.stop(sessionId, async (tx) =>
        endOfCancelled(tx, sessionId, await workEndOf(tx, orchestration, sessionId, undefined)),
      );
    }
  }

  /** Ends an agent of an ended orchestration. @throws CONFLICT if the agent keeps running, see `endAll`. */
  async function endNow(orchestration: OrchestrationRow, sessionId: string): Promise<void> {
    if (await actions.canContinue(sessionId)) {
      const kept = await actions.release(sessionId);
      if (kept !== null) throw kept.for === 'task' ? openTask(sessionId) : unfinishedLine(sessionId);
      return;
    }
    const attempt = (await latestAttempts(read, orchestration.id, [sessionId])).get(sessionId);
    await actions.stop(sessionId, async (tx) => {
      if (await hasOpenTask(tx, sessionId)) throw openTask(sessionId);
      const workEnd = await workEndOf(tx, orchestration, sessionId, attempt);
      if (await isContinued(tx, sessionId, workEnd)) throw continuedConversation(sessionId);
      return 'stop';
    });
  }

  return {
    async apply({ orchestration, agents }) {
      await interruptPaused(orchestration.id, agents);
      if (orchestration.state === 'cancelled') await stopResolvers(orchestration);
      const live = await liveAgents(read, orchestration.id);
      if (live.length === 0) return null;
      const bySession = new Map(agents.map((agent) => [agent.sessionId, agent]));
      const attempts = await latestAttempts(
        read,
        orchestration.id,
        live.map(({ sessionId }) => sessionId),
      );
      const isFinal = FINAL_STATES.includes(orchestration.state);
      const endAt = isFinal ? Date.parse(orchestration.completedAt ?? '') + AGENT_END_MS : null;
      let retryAt: number | null = null;
      for (const worker of live) {
        const { sessionId } = worker;
        const agent = bySession.get(sessionId);
        if (agent?.state === 'running' || agent?.state === 'paused' || agent?.state === 'interrupted') continue;
        const attempt = attempts.get(sessionId);
        const workEnd = await workEndOf(read, orchestration, sessionId, attempt);
        const { state, reason } = agent ?? attempt ?? (await endOfResolver(read, orchestration, sessionId));
        if (state === 'cancelled' || reason === 'timeout') {
          await actions.stop(sessionId, (tx) => endOfCancelled(tx, sessionId, workEnd));
          continue;
        }
        if (await isContinued(read, sessionId, workEnd)) continue;
        watched.set(sessionId, orchestration.id);
        const canContinue = await actions.canContinue(sessionId);
        if (canContinue) await pauseIfIdle(worker.id, now().getTime());
        if (endAt === null) continue;
        // Agents usually write a last message after they have reported their result, so an agent that is still working
        // is not ended before `endAt`.
        if (now().getTime() < endAt) retryAt = endAt;
        else if (canContinue) {
          const kept = await actions.release(sessionId);
          if (kept?.for === 'line') retryAt = earliest(retryAt, kept.until);
        } else {
          await actions.stop(sessionId, async (tx) => {
            const isUsed = (await hasOpenTask(tx, sessionId)) || (await isContinued(tx, sessionId, workEnd));
            return isUsed ? 'keep' : 'stop';
          });
        }
      }
      return retryAt;
    },
    async endAll(orchestrationId) {
      const orchestration = await read.orchestrations.get(orchestrationId);
      if (orchestration === undefined) return;
      const errors: unknown[] = [];
      for (const { sessionId } of await liveAgents(read, orchestrationId)) {
        try {
          await endNow(orchestration, sessionId);
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
    affectedBy({ event, sessionId }) {
      const orchestrationId = sessionId === null ? undefined : watched.get(sessionId);
      if (orchestrationId === undefined || sessionId === null) return undefined;
      if (event.type === 'worker.exited' || event.type === 'worker.lost') watched.delete(sessionId);
      return ENDS_AFTER.has(event.type) ? orchestrationId : undefined;
    },
  };
}

/**
 * Returns the state of a session that resolves conflicts. It has no attempt, so it follows the state of the
 * orchestration, unless the end of the orchestration cancelled its work.
 */
async function endOfResolver(
  read: Pick<Readers, 'tasks'>,
  { id, state }: OrchestrationRow,
  sessionId: string,
): Promise<{ state: OrchestrationRow['state']; reason: null }> {
  const own = { sessionId, sourceKind: 'orchestration', sourceId: id } as const;
  const task = await read.tasks.first(own, { order: ['-id'] });
  const isCancelled = task?.status === 'cancelled' && task.outcomeSource === 'system';
  return { state: isCancelled ? 'cancelled' : state, reason: null };
}

function unfinishedLine(sessionId: string): ConsoleError {
  return new ConsoleError(
    'CONFLICT',
    `In session ${sessionId}, somebody has typed part of a line to the agent. Send or clear the line, or stop the session, and try again.`,
    { sessionId },
  );
}

/** Returns the error of a removal for which a session would have to be ended that has an open task. */
export function openTask(sessionId: string): ConsoleError {
  return new ConsoleError(
    'CONFLICT',
    `Session ${sessionId} has an open task. Wait until the task has ended, or stop the session, and try again.`,
    { sessionId },
  );
}

/** Returns the error of a removal while a notice is about to resume a session. */
export function undeliveredNotice(sessionId: string): ConsoleError {
  return new ConsoleError(
    'CONFLICT',
    `Session ${sessionId} has a notice that its agent has not received yet. Wait until the agent has received it, or stop the session, and try again.`,
    { sessionId },
  );
}

function continuedConversation(sessionId: string): ConsoleError {
  return new ConsoleError(
    'CONFLICT',
    `Somebody has continued session ${sessionId}, whose agent could not resume the conversation later. Stop the session, and try again.`,
    { sessionId },
  );
}

/** Events of a session after which `apply` checks again whether its process can be interrupted or ended. */
const ENDS_AFTER = new Set<string>(['activity.changed', 'delegation.advanced', 'task.ended', 'approval.withdrawn']);

function earliest(one: number | null, other: number): number {
  return one === null ? other : Math.min(one, other);
}

async function liveAgents(read: Pick<Readers, 'workers' | 'sessions'>, orchestrationId: string): Promise<WorkerRow[]> {
  const workers = await read.workers.find({ type: 'agent', state: LIVE_STATES });
  if (workers.length === 0) return [];
  const ids = workers.map(({ sessionId }) => sessionId);
  const own = new Set(await read.sessions.ids({ id: ids, orchestrationId }));
  return workers.filter(({ sessionId }) => own.has(sessionId));
}

/** Returns the newest attempt that ran in each of these sessions. */
async function latestAttempts(
  read: Pick<Readers, 'orchestrationAttempts'>,
  orchestrationId: string,
  sessionId: readonly string[],
): Promise<Map<string, OrchestrationAttemptRow>> {
  const attempts = await read.orchestrationAttempts.find({ orchestrationId, sessionId });
  return new Map(attempts.map((attempt) => [attempt.sessionId, attempt]));
}

export async function orchestrationsWithLiveAgents(read: Pick<Readers, 'workers' | 'sessions'>): Promise<string[]> {
  const workers = await read.workers.find({ type: 'agent', state: LIVE_STATES });
  if (workers.length === 0) return [];
  const ids = workers.map(({ sessionId }) => sessionId);
  const sessions = await read.sessions.find({ id: ids, orchestrationId: { not: null } });
  return [...new Set(sessions.flatMap(({ orchestrationId }) => orchestrationId ?? []))];
}

import { SYSTEM_ACTOR } from '../../domain/caller.ts';
import { LIVE_STATES } from '../../domain/states.ts';
import { isOpen, OPEN_STATUSES } from '../../domain/tasks.ts';
import type { OrchestrationAttemptRow, OrchestrationRow, TaskRow, WorkerRow } from '../../ports/rows.ts';
import type { Readers } from '../../ports/storage.ts';
import type { SessionEnd } from './actions.ts';

/**
 * The functions in this file find out whether somebody uses the session of an orchestration for something else. Call
 * them in the transaction that stops the session, so that no prompt arrives in between.
 */

type Facts = Pick<Readers, 'tasks' | 'events' | 'workers'>;

/** Returns when the work of a session for the orchestration ended; null if it has not ended. */
export async function workEndOf(
  read: Pick<Readers, 'tasks'>,
  { id, completedAt }: OrchestrationRow,
  sessionId: string,
  attempt: OrchestrationAttemptRow | undefined,
): Promise<string | null> {
  if (attempt !== undefined) return attempt.endedAt;
  // A session that resolves conflicts has no attempt, and usually ends long before the orchestration.
  const tasks = await read.tasks.find({ sessionId, sourceKind: 'orchestration', sourceId: id });
  const ends = tasks.map(({ endedAt }) => endedAt);
  if (ends.includes(null)) return null;
  return ends.sort().at(-1) ?? completedAt;
}

export async function hasOpenTask(read: Pick<Readers, 'tasks'>, sessionId: string): Promise<boolean> {
  return (await read.tasks.count({ sessionId, status: [...OPEN_STATUSES] })) > 0;
}

/**
 * Whether a person or another session has resumed or prompted the session since its work for the orchestration ended,
 * or whether an earlier prompt has started since. From then on, the session is used for something else, and is paused
 * when idle like any delegated session.
 */
export async function isContinued(read: Facts, sessionId: string, workEnd: string | null): Promise<boolean> {
  if (workEnd === null) return false;
  if ((await promptsSince(read, sessionId, workEnd)).length > 0) return true;
  if ((await promptsSince(read, sessionId, workEnd, 'startedAt')).length > 0) return true;
  const since = { above: workEnd };
  const resumed = { sessionId, type: 'session.resumed', actor: { not: SYSTEM_ACTOR }, at: since } as const;
  if ((await read.events.first(resumed)) !== undefined) return true;
  for (const { id } of await read.workers.find({ sessionId, type: 'agent', state: 'running', createdAt: since })) {
    // The console itself starts agents too. It may start one just after the end of the work, and this agent is not
    // needed. It is ended long before the event of its start is pruned. So an agent without this event was started by
    // somebody else.
    const start = { subjectId: id, type: 'worker.started', actor: SYSTEM_ACTOR } as const;
    if ((await read.events.first(start)) === undefined) return true;
  }
  return false;
}

/** Returns what becomes of the agent of a session whose work for the orchestration was cancelled or timed out. */
export async function endOfCancelled(
  read: Facts & Pick<Readers, 'inputs'>,
  sessionId: string,
  workEnd: string | null,
): Promise<SessionEnd> {
  if (workEnd === null) return 'stop';
  const agents = await read.workers.find({ sessionId, type: 'agent', state: LIVE_STATES });
  // A prompt that was queued before the work ended must not be lost either.
  const isQueued = (await read.tasks.count({ sessionId, status: 'queued', ...promptOfOthers(sessionId) })) > 0;
  if (agents.every(({ createdAt }) => createdAt > workEnd)) {
    return isQueued || (await isContinued(read, sessionId, workEnd)) ? 'keep' : 'stop';
  }
  // The agent may still work on the cancelled task. If a later prompt has started, the cancelled turn has ended, or the
  // console has stopped waiting for its end, because the agent did not acknowledge the cancelled prompt.
  const started = await promptsSince(read, sessionId, workEnd, 'startedAt');
  if (started.length > 0 && !(await mayWorkOnCancelled(read, agents, workEnd, started))) return 'keep';
  const prompts = [...started, ...(await promptsSince(read, sessionId, workEnd))];
  return isQueued || prompts.some(({ status }) => isOpen(status)) ? 'restart' : 'stop';
}

/**
 * Whether the cancelled work was typed to the agents, but they have shown neither the end of its turn nor that they
 * received one of the prompts that have started since.
 */
async function mayWorkOnCancelled(
  read: Pick<Readers, 'inputs'>,
  agents: readonly WorkerRow[],
  workEnd: string,
  started: readonly TaskRow[],
): Promise<boolean> {
  const workerId = agents.map(({ id }) => id);
  const last = await read.inputs.first({ workerId, createdAt: { below: workEnd } }, { order: ['-id'] });
  if (last?.state !== 'dropped' || last.submittedOffset === null) return false;
  const taskId = started.map(({ id }) => id);
  const received = await read.inputs.count({ taskId, acceptedBy: { not: null } });
  // The end of a command's input shows that the agent was idle, although a command is not acknowledged.
  return received + (await read.inputs.count({ taskId, acceptedBy: null, state: 'ended' })) === 0;
}

/** Returns the prompts of a person or another session that were sent, or started, since `time`. */
function promptsSince(
  read: Pick<Readers, 'tasks'>,
  sessionId: string,
  time: string,
  column: 'createdAt' | 'startedAt' = 'createdAt',
): Promise<TaskRow[]> {
  return read.tasks.find({ sessionId, ...promptOfOthers(sessionId), [column]: { above: time } });
}

/** Returns the filter for prompts of people and other sessions. An agent must not prolong its own work. */
function promptOfOthers(sessionId: string) {
  return { kind: 'prompt', sourceKind: ['person', 'session'], sourceId: { not: sessionId } } as const;
}

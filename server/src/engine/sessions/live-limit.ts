import { PREPARING } from '../../domain/delegation.ts';
import { LIVE_WORKER } from '../../domain/states.ts';
import type { Readers } from '../../ports/storage.ts';
import type { SettingsReader } from '../settings.ts';
import type { StartingSessions } from './starting-sessions.ts';

type Counted = Pick<
  Readers,
  'workers' | 'delegations' | 'sessions' | 'tasks' | 'orchestrations' | 'orchestrationAgents'
>;
type Starting = Pick<StartingSessions, 'ids'>;

/** Returns the sessions that are live, or whose agent will start, without hidden ones, such as those of agent checks. */
export async function admittedOrWaitingSessions(read: Counted, starting: Starting): Promise<Set<string>> {
  return new Set([...(await admittedSessions(read, starting)), ...(await sessionsWithWaitingQueue(read))]);
}

/**
 * Returns the value of the setting `liveSessions` if the session must wait until another session ends, because the
 * sessions that were admitted and those that have waited longer need all places; null if its agent may start. In the
 * transaction that starts a task, this keeps sessions that resume without a call, for example after their budget was
 * raised, within the limit.
 */
export async function reachedLiveLimit(
  read: Counted,
  { settings, startingSessions }: { settings: Pick<SettingsReader, 'current'>; startingSessions: Starting },
  sessionId: string,
): Promise<number | null> {
  const { liveSessions } = await settings.current();
  const admitted = await admittedSessions(read, startingSessions);
  if (admitted.has(sessionId)) return null;
  const free = liveSessions - admitted.size;
  return free <= 0 || free <= (await sessionsAhead(read, admitted, sessionId)) ? liveSessions : null;
}

/** Counts the sessions that have waited longer to start than the given one: their oldest queued task is older. */
async function sessionsAhead(read: Counted, admitted: ReadonlySet<string>, sessionId: string): Promise<number> {
  const waiting = (await sessionsWithWaitingQueue(read)).filter((id) => !admitted.has(id));
  const queued = { sessionId: [...waiting, sessionId], status: 'queued' } as const;
  const tasks = await read.tasks.find(queued, { order: ['createdAt', 'id'] });
  const order = [...new Set(tasks.map((task) => task.sessionId))];
  return order.includes(sessionId) ? order.indexOf(sessionId) : order.length;
}

/** Returns the sessions that are live, or whose agent starts without another check of the limit. */
export async function admittedSessions(read: Counted, starting: Starting): Promise<Set<string>> {
  const workers = await read.workers.find(LIVE_WORKER);
  const live = await read.sessions.ids({
    id: workers.map(({ sessionId }) => sessionId),
    archivedAt: null,
    removedAt: null,
  });
  const preparing = await read.delegations.find({ state: [...PREPARING] });
  return new Set([
    ...live,
    ...preparing.map(({ sessionId }) => sessionId),
    ...(await workingAgents(read)),
    ...(await sessionsWithRunningTask(read)),
    ...starting.ids(),
  ]);
}

/**
 * Returns the sessions with a running task. A task is stored as running before its agent starts. In a paused or stopped
 * session, no agent starts for it, unless a budget paused the session and is raised.
 */
async function sessionsWithRunningTask(read: Counted): Promise<string[]> {
  const id = await read.tasks.distinct({ status: 'running' }, 'sessionId');
  if (id.length === 0) return [];
  const session = { id, archivedAt: null, removedAt: null };
  const open = await read.sessions.ids({ ...session, mark: ['open', 'completed', 'failed'] });
  return [...open, ...(await read.sessions.ids({ ...session, mark: 'paused', pausedBy: 'budget' }))];
}

/**
 * Returns the sessions whose agent starts for a queued task as soon as their old agent has ended, or as soon as fewer
 * sessions are live. Calls are refused if these sessions would need all places that are left.
 */
async function sessionsWithWaitingQueue(read: Counted): Promise<string[]> {
  const id = await read.tasks.distinct({ status: 'queued' }, 'sessionId');
  if (id.length === 0) return [];
  const session = { id, archivedAt: null, removedAt: null };
  const open = await read.sessions.ids({ ...session, mark: 'open', queueHeld: false });
  // A notice resumes an idle session even if its queue is held.
  const idle = await read.sessions.ids({ ...session, mark: 'paused', pausedBy: 'idle' });
  return [...open, ...idle];
}

/**
 * Returns the sessions of all running agents of orchestrations. Some of them have no live worker yet: a new session is
 * stored before its worker, and a continued session gets a worker only when its agent starts.
 */
async function workingAgents(read: Counted): Promise<string[]> {
  const orchestrationId = await read.orchestrations.ids({ state: ['running', 'paused'] });
  if (orchestrationId.length === 0) return [];
  const agents = await read.orchestrationAgents.find({ orchestrationId, state: 'running' });
  return agents.flatMap(({ sessionId }) => sessionId ?? []);
}

import { SECOND } from '@agent-console/shared/limits/units';
import type { BudgetUse } from '@agent-console/shared/models/budget';
import { outsidePauses, type Span, secondsCovered } from '../../domain/budget.ts';
import { isLost } from '../../domain/orchestration/outcome.ts';
import { FINAL_AGENT_STATES } from '../../domain/orchestration/states.ts';
import { ACTIVE_STATUSES } from '../../domain/tasks.ts';
import type { OrchestrationRow, SessionRow } from '../../ports/rows.ts';
import type { Readers } from '../../ports/storage.ts';

/**
 * The functions in this file find the budgets that cover a session or orchestration, and compute how much of each
 * budget is used. Everything is derived from stored rows.
 */

export type BudgetReaders = Pick<
  Readers,
  | 'sessions'
  | 'tasks'
  | 'usage'
  | 'orchestrations'
  | 'orchestrationAgents'
  | 'orchestrationAttempts'
  | 'integrations'
  | 'approvals'
  | 'events'
>;

/** What a budget belongs to: an orchestration, or a session whose subtree shares the budget. */
export type BudgetHolder = { kind: 'session'; row: SessionRow } | { kind: 'orchestration'; row: OrchestrationRow };

/** Returns these sessions and all sessions that they started, directly or indirectly. */
export async function subtreeOf({ sessions }: Pick<Readers, 'sessions'>, roots: readonly string[]): Promise<string[]> {
  const found = new Set(roots);
  for (let level = [...found]; level.length > 0; ) {
    const children = await sessions.ids({ parentSessionId: level });
    const created = await sessions.ids({ createdBySessionId: level });
    level = [...new Set([...children, ...created])].filter((each) => !found.has(each));
    for (const id of level) found.add(id);
  }
  return [...found];
}

/** Returns the sessions that share a budget. The budget of a session also covers the session itself. */
export async function sessionsUnder(read: BudgetReaders, { kind, row }: BudgetHolder): Promise<string[]> {
  if (kind === 'session') return subtreeOf(read, [row.id]);
  const attempts = await read.orchestrationAttempts.find({ orchestrationId: row.id });
  const resolvers = await resolversOf(read, row);
  return subtreeOf(read, [...attempts.map(({ sessionId }) => sessionId), ...resolvers]);
}

/** Returns the sessions in which conflicts between the branches of an orchestration's agents are resolved. */
export async function resolversOf(
  read: Pick<Readers, 'sessions' | 'orchestrationAgents' | 'integrations'>,
  { id, repositoryId, integrate }: OrchestrationRow,
): Promise<string[]> {
  if (integrate === null) return [];
  const { into } = integrate;
  const found = new Set<string>();
  let worktrees = (await read.orchestrationAgents.find({ orchestrationId: id })).flatMap((row) => row.worktreeId ?? []);
  while (worktrees.length > 0) {
    const integrations = await read.integrations.find({ repositoryId, worktreeId: worktrees, into });
    const ids = integrations
      .flatMap(({ resolvingSessionId }) => resolvingSessionId ?? [])
      .filter((each) => !found.has(each));
    // A session that resolves conflicts has a branch of its own. If that branch has conflicts, further sessions resolve
    // them, and the next iteration finds those sessions.
    const sessions = ids.length === 0 ? [] : await read.sessions.find({ id: ids, orchestrationId: id });
    for (const session of sessions) found.add(session.id);
    worktrees = sessions.flatMap(({ worktreeId }) => worktreeId ?? []);
  }
  return [...found];
}

/**
 * Whether an agent must still work on the conflicts of a branch: no agent has been asked to resolve them yet, or the
 * resolution was interrupted and must be continued.
 */
export async function awaitsResolver(read: BudgetReaders, row: OrchestrationRow): Promise<boolean> {
  if (row.integrate?.resolve !== true) return false;
  const { repositoryId } = row;
  const { into } = row.integrate;
  const agents = await read.orchestrationAgents.find({ orchestrationId: row.id, state: 'completed' });
  const resolvers = await resolversOf(read, row);
  const sessions = resolvers.length === 0 ? [] : await read.sessions.find({ id: resolvers });
  for (const worktreeId of new Set([...agents, ...sessions].flatMap((each) => each.worktreeId ?? []))) {
    const latest = await read.integrations.first({ repositoryId, worktreeId, into }, { order: ['-id'] });
    if (latest?.state !== 'conflicts') continue;
    const sessionId = latest.resolvingSessionId;
    if (sessionId === null) return true;
    const work = { sessionId, kind: 'prompt', sourceKind: 'orchestration', sourceId: row.id } as const;
    const task = await read.tasks.first(work, { order: ['-id'] });
    if (task?.status === 'interrupted' || (task !== undefined && isLost(task))) return true;
  }
  return false;
}

/**
 * Whether all agents of an orchestration have ended and none of its sessions has an open task. A queued task with
 * notices counts as little as notices that are still pending.
 */
export async function isWorkDone(read: BudgetReaders, row: OrchestrationRow): Promise<boolean> {
  const agents = await read.orchestrationAgents.find({ orchestrationId: row.id });
  if (!agents.every(({ state }) => FINAL_AGENT_STATES.includes(state))) return false;
  const ids = await sessionsUnder(read, { kind: 'orchestration', row });
  if (ids.length === 0) return true;
  const active = await read.tasks.count({ sessionId: ids, status: [...ACTIVE_STATUSES] });
  return active + (await read.tasks.count({ sessionId: ids, status: 'queued', kind: 'prompt' })) === 0;
}

export async function useOf(read: BudgetReaders, holder: BudgetHolder, now: Date): Promise<BudgetUse> {
  const ids = await sessionsUnder(read, holder);
  const sums =
    ids.length === 0
      ? null
      : await read.usage.sum({ sessionId: ids }, ['inputTokens', 'outputTokens', 'cacheReadTokens', 'costUsd']);
  return {
    wallSeconds:
      holder.kind === 'session'
        ? await secondsOfTasks(read, ids, now.getTime())
        : secondsOfOrchestration(holder.row, now.getTime()),
    agents: holder.kind === 'session' ? ids.length - 1 : ids.length,
    tokens: (sums?.inputTokens ?? 0) + (sums?.outputTokens ?? 0),
    cachedTokens: sums?.cacheReadTokens ?? 0,
    money: sums?.costUsd ?? null,
  };
}

/** Returns the time in seconds since the start of an orchestration, without its pauses. */
function secondsOfOrchestration({ startedAt, pausedAt, completedAt, pausedMs }: OrchestrationRow, now: number): number {
  if (startedAt === null) return 0;
  const until = completedAt ?? pausedAt;
  return Math.max(0, (until === null ? now : Date.parse(until)) - Date.parse(startedAt) - pausedMs) / SECOND;
}

/**
 * Returns the time in seconds during which at least one task of these sessions ran, without the time for which a budget
 * paused its session.
 */
async function secondsOfTasks(read: BudgetReaders, ids: readonly string[], now: number): Promise<number> {
  const started = await read.tasks.find({ sessionId: ids, startedAt: { not: null } });
  const pauses = await pausesOf(read, [...new Set(started.map(({ sessionId }) => sessionId))], now);
  return secondsCovered(
    started.flatMap(({ sessionId, startedAt, endedAt }) => {
      const span = { from: Date.parse(startedAt ?? ''), to: endedAt === null ? now : Date.parse(endedAt) };
      return outsidePauses(span, pauses.get(sessionId) ?? []);
    }),
  );
}

/**
 * Returns the spans of time for which a budget paused these sessions, by session. Other pauses do not matter here,
 * because they end the tasks. The times are read from events, because the row of a session does not contain them.
 */
async function pausesOf({ sessions, events }: BudgetReaders, ids: string[], now: number): Promise<Map<string, Span[]>> {
  const pauses = new Map<string, Span[]>();
  if (ids.length === 0) return pauses;
  const type = ['session.paused', 'session.resumed'] as const;
  const open = new Map<string, number>();
  const close = (id: string, to: number) => {
    const from = open.get(id);
    if (from === undefined) return;
    open.delete(id);
    pauses.set(id, [...(pauses.get(id) ?? []), { from, to }]);
  };
  for (const event of await events.find({ subjectId: ids, type: [...type] }, { order: ['seq'] })) {
    const isPaused = event.type === 'session.paused' && event.data.pausedBy === 'budget';
    if (!isPaused) close(event.subjectId, Date.parse(event.at));
    else if (!open.has(event.subjectId)) open.set(event.subjectId, Date.parse(event.at));
  }
  const paused = open.size === 0 ? [] : await sessions.ids({ id: [...open.keys()], mark: 'paused' });
  for (const id of paused) close(id, now);
  return pauses;
}

/**
 * Returns the holders of the budgets that cover these sessions and orchestrations. The closest holders come first,
 * followed by the holders above them.
 */
export async function holdersAbove(
  read: Pick<Readers, 'sessions' | 'orchestrations'>,
  from: { sessionIds: readonly (string | null)[]; orchestrationIds?: readonly (string | null)[] },
): Promise<BudgetHolder[]> {
  const holders: BudgetHolder[] = [];
  const seen = new Set<string>();
  const pending: (string | null)[] = [...from.sessionIds];
  const addOrchestration = async (id: string | null) => {
    if (id === null || seen.has(id)) return;
    seen.add(id);
    const row = await read.orchestrations.get(id);
    if (row === undefined) return;
    if (row.budget !== null && row.completedAt === null) holders.push({ kind: 'orchestration', row });
    pending.push(row.createdBySessionId);
  };
  for (const id of from.orchestrationIds ?? []) await addOrchestration(id);
  for (const id of pending) {
    if (id === null || seen.has(id)) continue;
    seen.add(id);
    const row = await read.sessions.get(id);
    if (row === undefined) continue;
    if (row.budget !== null && row.removedAt === null) holders.push({ kind: 'session', row });
    pending.push(row.parentSessionId, row.createdBySessionId);
    await addOrchestration(row.orchestrationId);
  }
  return holders;
}

import type { Budget, BudgetLimit } from '@agent-console/shared/models/budget';
import { defaultRaise, exhausted, raised, usedUp } from '../../domain/budget.ts';
import { LIVE_INPUT } from '../../domain/inputs.ts';
import { LIVE_STATES } from '../../domain/states.ts';
import { ACTIVE_STATUSES, OPEN_STATUSES, type Outcome } from '../../domain/tasks.ts';
import type { ApprovalRow, OrchestrationRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { pauseForIdleness } from '../changes/session-pause.ts';
import { aboutOrchestration, aboutSession } from '../changes/subjects.ts';
import { type ChangeDeps, finishTask } from '../changes/task-changes.ts';
import { enforce } from './enforce.ts';
import { withdrawQuestion } from './question.ts';
import { awaitsResolver, type BudgetHolder, holdersAbove, isWorkDone, sessionsUnder, useOf } from './use.ts';

/**
 * The functions in this file change budgets at the request of people, and resume the sessions and orchestrations that
 * used-up budgets had paused.
 */

const ORCHESTRATION_ENDED: Outcome = {
  status: 'interrupted',
  source: 'system',
  certain: true,
  summary: 'The orchestration ended before the agent started.',
};

type More = Readonly<Partial<Record<BudgetLimit, number>>>;

/** Raises the budget by the amounts that a person entered when the console asked whether to raise it. */
export async function applyBudgetAnswer(
  tx: Transaction,
  deps: ChangeDeps,
  { sessionId, orchestrationId }: Pick<ApprovalRow, 'sessionId' | 'orchestrationId'>,
  more: More,
): Promise<void> {
  const orchestration = orchestrationId === null ? undefined : await tx.orchestrations.get(orchestrationId);
  const session = orchestrationId === null ? await tx.sessions.get(sessionId) : undefined;
  if (orchestration !== undefined) await allowMore(tx, deps, { kind: 'orchestration', row: orchestration }, more);
  if (session !== undefined) await allowMore(tx, deps, { kind: 'session', row: session }, more);
}

/**
 * Raises each used-up limit of an orchestration by the limit's current value, and resumes the orchestration if it was
 * paused.
 */
export async function allowMoreByDefault(tx: Transaction, deps: ChangeDeps, row: OrchestrationRow): Promise<void> {
  const holder: BudgetHolder = { kind: 'orchestration', row };
  const budget = row.budget ?? {};
  const limits = usedUp(budget, await useOf(tx, holder, deps.now()));
  await allowMore(tx, deps, holder, Object.fromEntries(limits.map((limit) => [limit, defaultRaise(budget, limit)])));
}

async function allowMore(tx: Transaction, deps: ChangeDeps, holder: BudgetHolder, more: More): Promise<void> {
  const use = await useOf(tx, holder, deps.now());
  const { budget, limits } = raised(holder.row.budget ?? {}, use, more);
  const budgetWarned = holder.row.budgetWarned.filter((limit) => !limits.includes(limit));
  await storeBudget(tx, deps, holder, holder.row.budget === null ? null : budget, budgetWarned);
}

/** Replaces the budget of a session, and resumes the session's subtree if the new budget allows it. */
export async function setSessionBudget(
  tx: Transaction,
  deps: ChangeDeps,
  sessionId: string,
  budget: Budget | null,
): Promise<void> {
  const row = await tx.sessions.get(sessionId);
  if (row !== undefined) await storeBudget(tx, deps, { kind: 'session', row }, budget, []);
}

async function storeBudget(
  tx: Transaction,
  deps: ChangeDeps,
  holder: BudgetHolder,
  budget: Budget | null,
  budgetWarned: BudgetLimit[],
): Promise<void> {
  const patch = { budget, budgetWarned };
  if (holder.kind === 'session') await tx.sessions.update(holder.row.id, patch);
  else await tx.orchestrations.update(holder.row.id, patch);
  await withdrawQuestion(tx, deps, holder);
  await resumeUnder(tx, deps, holder);
}

/**
 * Resumes the sessions and orchestrations that the budget paused. Sessions and orchestrations that a used-up budget
 * still covers are paused again in the same transaction.
 */
async function resumeUnder(tx: Transaction, deps: ChangeDeps, holder: BudgetHolder): Promise<void> {
  const ids = await sessionsUnder(tx, holder);
  const orchestrations = ids.length === 0 ? [] : await tx.orchestrations.find({ createdBySessionId: ids });
  if (holder.kind === 'orchestration') await resumeOrchestration(tx, deps, holder.row.id);
  for (const { id } of orchestrations) await resumeOrchestration(tx, deps, id);
  const paused = ids.length === 0 ? [] : await tx.sessions.find({ id: ids, mark: 'paused', pausedBy: 'budget' });
  for (const { id, begun } of paused) {
    await openSession(tx, deps, id);
    // The agent of a session without work was ended. A notice starts it again only while the session is paused as idle.
    if (begun && !(await isWorking(tx, id))) await pauseForIdleness(tx, deps, { id, mark: 'open' });
  }
  const orchestrationIds = orchestrations.map(({ id }) => id);
  if (holder.kind === 'orchestration') orchestrationIds.push(holder.row.id);
  const sessionIds = [...ids, ...(holder.kind === 'session' ? [] : [holder.row.createdBySessionId])];
  for (const other of await holdersAbove(tx, { sessionIds, orchestrationIds })) await enforce(tx, deps, other);
}

/** Whether a session has open tasks, or an agent that works without one, for example on what a person typed. */
async function isWorking(tx: Transaction, sessionId: string): Promise<boolean> {
  if ((await tx.tasks.count({ sessionId, status: OPEN_STATUSES })) > 0) return true;
  const agent = await tx.workers.first({ sessionId, type: 'agent', state: LIVE_STATES });
  if (agent === undefined) return false;
  const isBusy = agent.activityState === 'active' || agent.activityState === 'asking';
  return isBusy || (await tx.inputs.count({ workerId: agent.id, state: LIVE_INPUT })) > 0;
}

async function resumeOrchestration(tx: Transaction, deps: ChangeDeps, id: string): Promise<void> {
  const row = await tx.orchestrations.get(id);
  if (row?.state !== 'paused' || row.pausedBy !== 'budget') return;
  const pausedMs = row.pausedMs + (row.pausedAt === null ? 0 : deps.now().getTime() - Date.parse(row.pausedAt));
  await tx.orchestrations.update(id, { state: 'running', pausedBy: null, pausedAt: null, pausedMs });
  await tx.record({ type: 'orchestration.resumed', ...aboutOrchestration(row) });
}

/**
 * Resumes an orchestration that its budget paused, if all that is left is to integrate the branches of its agents.
 * Merging branches uses no budget, so the orchestration can end without a higher budget. It stays paused if an agent
 * must first resolve conflicts.
 */
export async function resumeToIntegrate(tx: Transaction, deps: ChangeDeps, row: OrchestrationRow): Promise<void> {
  if (row.pausedBy !== 'budget' || !(await isWorkDone(tx, row))) return;
  const use = await useOf(tx, { kind: 'orchestration', row }, deps.now());
  if (usedUp(row.budget ?? {}, use).length > 0 && (await awaitsResolver(tx, row))) return;
  await withdrawQuestion(tx, deps, { kind: 'orchestration', row });
  await resumeOrchestration(tx, deps, row.id);
}

/**
 * After the end of an orchestration, releases the sessions and orchestrations that its budget has paused, unless another
 * used-up budget also covers them. Sessions whose agents are working are open again, so that running turns end as usual.
 * The other sessions are paused as idle: their processes end, and a prompt resumes them. A task whose agent has not
 * started is interrupted.
 */
export async function releaseEnded(tx: Transaction, deps: ChangeDeps, row: OrchestrationRow): Promise<void> {
  if (row.budget === null) return;
  const holder: BudgetHolder = { kind: 'orchestration', row };
  await withdrawQuestion(tx, deps, holder);
  const ids = await sessionsUnder(tx, holder);
  const paused = ids.length === 0 ? [] : await tx.sessions.find({ id: ids, mark: 'paused', pausedBy: 'budget' });
  for (const { id } of paused) {
    if (!(await isOverBudget(tx, deps, { sessionIds: [id] }))) await release(tx, deps, id);
  }
  const created = ids.length === 0 ? [] : await tx.orchestrations.find({ createdBySessionId: ids });
  const orchestrationIds = created.map(({ id }) => id);
  for (const { id, createdBySessionId } of created) {
    const isOver = await isOverBudget(tx, deps, { sessionIds: [createdBySessionId], orchestrationIds: [id] });
    if (!isOver) await resumeOrchestration(tx, deps, id);
  }
  const sessionIds = [...ids, row.createdBySessionId];
  for (const other of await holdersAbove(tx, { sessionIds, orchestrationIds })) await enforce(tx, deps, other);
}

/** Releases a session that the budget of an ended orchestration has paused. */
async function release(tx: Transaction, deps: ChangeDeps, sessionId: string): Promise<void> {
  const hasAgent = (await tx.workers.count({ sessionId, type: 'agent', state: LIVE_STATES })) > 0;
  if (hasAgent && (await isWorking(tx, sessionId))) return openSession(tx, deps, sessionId);
  await pauseForIdleness(tx, deps, { id: sessionId, mark: 'paused' });
  for (const task of await tx.tasks.find({ sessionId, status: ACTIVE_STATUSES })) {
    await finishTask(tx, deps, task.id, ORCHESTRATION_ENDED);
  }
}

async function openSession(tx: Transaction, deps: ChangeDeps, id: string): Promise<void> {
  await tx.sessions.update(id, { mark: 'open', pausedBy: null, updatedAt: deps.now().toISOString() });
  await tx.record({ type: 'session.resumed', ...aboutSession(id), data: { pausedBy: 'budget' } });
}

/** Whether a used-up budget covers the sessions or orchestrations. The budgets of ended orchestrations do not count. */
async function isOverBudget(
  tx: Transaction,
  deps: ChangeDeps,
  from: Parameters<typeof holdersAbove>[1],
): Promise<boolean> {
  for (const holder of await holdersAbove(tx, from)) {
    const { budget } = holder.row;
    if (budget !== null && exhausted(budget, await useOf(tx, holder, deps.now())).length > 0) return true;
  }
  return false;
}

import { ConsoleError } from '@agent-console/shared/errors';
import type { BudgetLimit, BudgetUse } from '@agent-console/shared/models/budget';
import { describeUse, exhausted, nearlyUsed, usedOf, usedUp } from '../../domain/budget.ts';
import type { SessionRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { aboutOrchestration, aboutSession } from '../changes/subjects.ts';
import { addNotice, type ChangeDeps } from '../changes/task-changes.ts';
import { askForMore } from './question.ts';
import { type BudgetHolder, holdersAbove, isWorkDone, sessionsUnder, useOf } from './use.ts';

/**
 * Budgets are checked in each transaction that starts work or stores usage, and when the wall time of a budget reaches
 * its warning threshold or is used up. The result depends only on stored data, so a check can be repeated.
 */

/**
 * Refuses an action, such as a new session, a prompt or a resume, if a budget that covers it is used up.
 * @throws LIMIT_EXCEEDED with the limit; UNSUPPORTED if the budget limits money and the agent does not report its cost.
 */
export async function refuseOverBudget(
  tx: Transaction,
  deps: ChangeDeps,
  from: Parameters<typeof holdersAbove>[1],
  start: { isNew: boolean; agent?: { id: string; driver: string } },
): Promise<void> {
  for (const holder of await holdersAbove(tx, from)) {
    const { budget } = holder.row;
    if (budget === null) continue;
    if (budget.money !== undefined && start.agent !== undefined) refuseWithoutCost(start.agent);
    const use = await useOf(tx, holder, deps.now());
    const [limit] = start.isNew ? usedUp(budget, use) : exhausted(budget, use);
    if (limit === undefined) continue;
    throw new ConsoleError(
      'LIMIT_EXCEEDED',
      `The budget of this ${holder.kind} is used up: ${describeUse(limit, budget, use)}. A person must allow more before another session or agent can start.`,
      { limit: `budget.${limit}`, value: budget[limit], used: usedOf(use, limit), [`${holder.kind}Id`]: holder.row.id },
    );
  }
}

/** Refuses an agent that is not driven over ACP, because such an agent does not report its cost. @throws UNSUPPORTED */
export function refuseWithoutCost({ id, driver }: { id: string; driver: string }): void {
  if (driver === 'acp') return;
  throw new ConsoleError(
    'UNSUPPORTED',
    `Agent ${id} does not report what it costs, so a budget in US dollars cannot be checked. Limit tokens instead, or choose agents with the driver acp.`,
    { agentId: id, limit: 'budget.money' },
  );
}

/** Checks all budgets that cover a session. */
export async function enforceAbove(tx: Transaction, deps: ChangeDeps, sessionId: string): Promise<void> {
  for (const holder of await holdersAbove(tx, { sessionIds: [sessionId] })) await enforce(tx, deps, holder);
}

/**
 * Checks a budget. When a limit reaches its warning threshold, notifies the session that created the budget's session
 * or orchestration. When a limit is used up, pauses everything that the budget covers, and asks people whether to raise
 * the budget.
 * @param wantsStart whether an agent of the orchestration, or one that resolves conflicts, is about to start
 * @returns whether the used-up budget pauses the orchestration or the session's subtree, even if it was already paused
 */
export async function enforce(
  tx: Transaction,
  deps: ChangeDeps,
  holder: BudgetHolder,
  wantsStart = false,
): Promise<boolean> {
  const { budget } = holder.row;
  if (budget === null) return false;
  const use = await useOf(tx, holder, deps.now());
  await warn(tx, deps, holder, use);
  const limitsReached = usedUp(budget, use);
  const limitsExceeded = exhausted(budget, use);
  const isOver = limitsExceeded.length > 0 || (wantsStart && limitsReached.length > 0);
  // While an orchestration only integrates the branches of its agents, nothing uses the budget.
  const pauses = isOver && (wantsStart || !(holder.kind === 'orchestration' && (await isWorkDone(tx, holder.row))));
  let isFirst = false;
  if (pauses) {
    isFirst =
      limitsExceeded.length > 0
        ? await pauseUnder(tx, deps, holder)
        : await pauseOrchestration(tx, deps, holder.row.id);
    if (isFirst)
      await notifyExhausted(tx, deps, holder, use, limitsExceeded.length > 0 ? limitsExceeded : limitsReached);
  }
  // A session is not paused if only its limit on the number of agents is reached. People are asked anyway, because the
  // next start would be refused.
  if (pauses || (holder.kind === 'session' && limitsReached.length > 0))
    await askForMore(tx, deps, holder, use, limitsReached, isFirst);
  return pauses;
}

async function warn(tx: Transaction, deps: ChangeDeps, holder: BudgetHolder, use: BudgetUse): Promise<void> {
  const { budget, budgetWarned, id } = holder.row;
  if (budget === null) return;
  const limits = nearlyUsed(budget, use, budgetWarned);
  if (limits.length === 0) return;
  const patch = { budgetWarned: [...budgetWarned, ...limits] };
  if (holder.kind === 'session') await tx.sessions.update(id, patch);
  else await tx.orchestrations.update(id, patch);
  for (const limit of limits) await recordUse(tx, holder, use, limit, false);
  const parts = limits.map((limit) => describeUse(limit, budget, use));
  await notifyCreator(
    tx,
    deps,
    holder,
    'message',
    `The ${holder.kind} has used most of its budget: ${parts.join(', ')}.`,
  );
}

async function notifyExhausted(
  tx: Transaction,
  deps: ChangeDeps,
  holder: BudgetHolder,
  use: BudgetUse,
  limits: readonly BudgetLimit[],
): Promise<void> {
  const { budget } = holder.row;
  if (budget === null) return;
  for (const limit of limits) await recordUse(tx, holder, use, limit, true);
  const parts = limits.map((limit) => describeUse(limit, budget, use));
  const summary = `The ${holder.kind} has used up its budget: ${parts.join(', ')}. It is paused until a person allows more.`;
  await notifyCreator(tx, deps, holder, 'waiting', summary);
}

async function recordUse(
  tx: Transaction,
  { kind, row }: BudgetHolder,
  use: BudgetUse,
  limit: BudgetLimit,
  isExhausted: boolean,
): Promise<void> {
  const data = { limit, used: usedOf(use, limit), allowed: row.budget?.[limit] ?? 0, exhausted: isExhausted };
  if (kind === 'session') await tx.record({ type: 'session.budget_used', ...aboutSession(row.id), data });
  else await tx.record({ type: 'orchestration.budget_used', ...aboutOrchestration(row), data });
}

/** Notifies the session that created the budget's session or orchestration. Does nothing if a person created it. */
async function notifyCreator(
  tx: Transaction,
  deps: ChangeDeps,
  holder: BudgetHolder,
  kind: 'message' | 'waiting',
  summary: string,
): Promise<void> {
  const { createdBySessionId } = holder.row;
  if (createdBySessionId === null) return;
  const about =
    holder.kind === 'session'
      ? { aboutSessionId: holder.row.id }
      : {
          aboutSessionId: createdBySessionId,
          aboutOrchestrationId: holder.row.id,
          title: holder.row.objective.split('\n', 1)[0]?.slice(0, 80) ?? '',
        };
  await addNotice(tx, deps, { ...about, sessionId: createdBySessionId, kind, status: null, summary, typed: true });
}

/**
 * Pauses the sessions of a budget and the orchestrations that these sessions created. Turns that are running still
 * finish. Returns whether any session, or the budget's orchestration, was not paused before. A session that was paused
 * only because it was idle counts as not paused.
 */
async function pauseUnder(tx: Transaction, deps: ChangeDeps, holder: BudgetHolder): Promise<boolean> {
  const ids = await sessionsUnder(tx, holder);
  let changed = false;
  if (holder.kind === 'orchestration') changed = await pauseOrchestration(tx, deps, holder.row.id);
  if (ids.length === 0) return changed;
  for (const row of await tx.sessions.find({ id: ids, mark: ['open', 'paused'], removedAt: null })) {
    if (row.mark === 'paused' && row.pausedBy !== 'idle') continue;
    await pauseSession(tx, deps, row);
    changed = true;
  }
  for (const { id } of await tx.orchestrations.find({ createdBySessionId: ids, state: 'running' })) {
    await pauseOrchestration(tx, deps, id);
  }
  return changed;
}

async function pauseSession(tx: Transaction, deps: ChangeDeps, { id }: SessionRow): Promise<void> {
  await tx.sessions.update(id, { mark: 'paused', pausedBy: 'budget', updatedAt: deps.now().toISOString() });
  await tx.record({ type: 'session.paused', ...aboutSession(id), data: { pausedBy: 'budget' } });
}

async function pauseOrchestration(tx: Transaction, deps: ChangeDeps, id: string): Promise<boolean> {
  const row = await tx.orchestrations.get(id);
  if (row?.state !== 'running') return false;
  await tx.orchestrations.update(id, { state: 'paused', pausedBy: 'budget', pausedAt: deps.now().toISOString() });
  const data = { session_id: id, pausedBy: 'budget', interrupt: false };
  await tx.record({ type: 'orchestration.paused', ...aboutOrchestration(row), data });
  return true;
}

import { ANSWERS, type Approval, type FormField } from '@agent-console/shared/models/approval';
import type { Budget, BudgetLimit, BudgetUse } from '@agent-console/shared/models/budget';
import { defaultRaise, describeUse } from '../../domain/budget.ts';
import type { ApprovalRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { recordApproval, withdraw } from '../changes/approval-changes.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import type { BudgetHolder } from './use.ts';

/** The functions in this file ask people whether to raise the used-up budget of an orchestration or session. */

const TITLES: Readonly<Record<BudgetLimit, string>> = {
  wallSeconds: 'More seconds',
  agents: 'More agents',
  tokens: 'More tokens',
  money: 'More US dollars',
};

const OPTIONS: Approval['options'] = [
  { id: ANSWERS.accept, label: 'Allow more', kind: 'allow' },
  { id: ANSWERS.decline, label: 'Stay paused', kind: 'deny' },
];

/**
 * Asks people whether to raise the budget. Does nothing if this question is already pending. After a person has
 * declined, people are asked again about the same limits only if the budget has paused something anew.
 */
export async function askForMore(
  tx: Transaction,
  deps: ChangeDeps,
  holder: BudgetHolder,
  use: BudgetUse,
  limits: readonly BudgetLimit[],
  isPausedAnew: boolean,
): Promise<void> {
  const { budget } = holder.row;
  const sessionId = await askingSession(tx, holder);
  if (budget === null || sessionId === null) return;
  const [pending] = await pendingQuestions(tx, holder);
  if (pending !== undefined) return;
  if (!isPausedAnew && (await isDeclined(tx, holder, budget, limits))) return;
  const parts = limits.map((limit) => describeUse(limit, budget, use));
  const row = await tx.approvals.insert({
    id: deps.newId(),
    sessionId,
    workerId: null,
    orchestrationId: holder.kind === 'orchestration' ? holder.row.id : null,
    taskId: null,
    kind: 'budget',
    text: `The budget of this ${holder.kind} is used up: ${parts.join(', ')}. Allow more?`,
    tool: null,
    options: OPTIONS,
    fields: limits.map((limit) => fieldOf(limit, defaultRaise(budget, limit))),
    source: 'process',
    logOffset: 0,
    createdAt: deps.now().toISOString(),
  });
  await recordApproval(tx, 'approval.requested', row);
}

function fieldOf(limit: BudgetLimit, value: number): FormField {
  const isInteger = limit === 'agents' || limit === 'tokens';
  return {
    id: limit,
    type: isInteger ? 'integer' : 'number',
    title: TITLES[limit],
    description: 'Amount to allow in addition to what is already used',
    required: true,
    secret: false,
    default: value,
    choices: [],
    min: isInteger ? 1 : 0.01,
    max: null,
    format: null,
    pattern: null,
  };
}

/**
 * Returns the session that shows the question. The question of an orchestration is shown by the session that created it
 * or, if a person created it, by the session of its newest attempt. Null if there is no attempt: a person can resume
 * the orchestration without a question.
 */
async function askingSession(tx: Transaction, { kind, row }: BudgetHolder): Promise<string | null> {
  if (kind === 'session') return row.id;
  if (row.createdBySessionId !== null) return row.createdBySessionId;
  const newest = await tx.orchestrationAttempts.first({ orchestrationId: row.id }, { order: ['-id'] });
  return newest?.sessionId ?? null;
}

/** Whether the newest question about these limits, with their current values, was declined. */
async function isDeclined(
  tx: Transaction,
  holder: BudgetHolder,
  budget: Budget,
  limits: readonly BudgetLimit[],
): Promise<boolean> {
  const newest = await tx.approvals.first(questionsAbout(holder), { order: ['-id'] });
  if (newest?.state !== 'answered' || newest.optionId !== ANSWERS.decline) return false;
  const declined = new Map(newest.fields.map((field) => [field.id, field.default]));
  return limits.every((limit) => declined.get(limit) === defaultRaise(budget, limit));
}

function questionsAbout({ kind, row }: BudgetHolder) {
  const about = kind === 'session' ? { sessionId: row.id, orchestrationId: null } : { orchestrationId: row.id };
  return { ...about, kind: 'budget' } as const;
}

function pendingQuestions(tx: Transaction, holder: BudgetHolder): Promise<ApprovalRow[]> {
  return tx.approvals.find({ ...questionsAbout(holder), state: 'pending' });
}

/** Whether people are being asked to raise the budget. */
export async function isAsked(tx: Transaction, holder: BudgetHolder): Promise<boolean> {
  return (await pendingQuestions(tx, holder)).length > 0;
}

/**
 * Withdraws the question whether to raise the budget, for example because somebody has changed the budget, or because
 * the session or orchestration has ended.
 */
export async function withdrawQuestion(tx: Transaction, deps: ChangeDeps, holder: BudgetHolder): Promise<void> {
  for (const row of await pendingQuestions(tx, holder)) await withdraw(tx, deps, row);
}

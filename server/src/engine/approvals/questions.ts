import {
  APPROVAL_CUT_CHARS,
  APPROVAL_LABEL_MAX_CHARS,
  APPROVAL_OPTIONS_MAX,
  APPROVAL_TEXT_MAX_CHARS,
} from '@agent-console/shared/limits/approvals';
import type { EventType } from '@agent-console/shared/models/event';
import { isSameQuestion } from '../../domain/questions.ts';
import type { Asked } from '../../ports/agents.ts';
import type { TaskRow } from '../../ports/rows/tasks.ts';
import type { ApprovalRow, WorkerRow } from '../../ports/rows/workers.ts';
import type { Transaction } from '../../ports/storage.ts';
import { LIVE_INPUT } from '../inputs.ts';
import type { ChangeDeps } from '../task-changes.ts';

/** What an agent asks, as far as it is kept; both sides of a comparison are cut alike. */
export function keptQuestion<Q extends Pick<Asked, 'text' | 'options'>>({ text, options }: Q) {
  return {
    text: text.slice(0, APPROVAL_TEXT_MAX_CHARS),
    options: options
      .slice(0, APPROVAL_OPTIONS_MAX)
      .map(({ id, label, kind }) => ({ id, label: label.slice(0, APPROVAL_LABEL_MAX_CHARS), kind })),
  };
}

/**
 * Stores what an agent was read to ask: the same question goes on under its id, another one takes its place. One that was
 * known only from the agent's report gets its words and answers from the screen.
 */
export async function takeQuestion(tx: Transaction, deps: ChangeDeps, worker: WorkerRow, asked: Asked): Promise<void> {
  const question = keptQuestion(asked);
  const open = await tx.approvals.find({ workerId: worker.id, state: 'pending' });
  // One that is just being answered may stand for another moment; it is looked after by whoever answers it.
  if (open.some((row) => row.optionId !== null && isSameQuestion(row, question))) return;
  const pending = open.find((row) => row.optionId === null);
  if (pending !== undefined && isSameQuestion(pending, question)) {
    if (asked.tool !== null && pending.tool !== asked.tool) await update(tx, pending, { tool: asked.tool });
    return;
  }
  if (pending?.source === 'hook' && asked.source === 'screen') {
    await update(tx, pending, { ...question, tool: pending.tool ?? asked.tool, source: 'screen' });
    return;
  }
  if (pending !== undefined) await withdraw(tx, deps, pending);
  const row: ApprovalRow = {
    ...question,
    id: deps.newId(),
    sessionId: worker.sessionId,
    workerId: worker.id,
    taskId: (await taskAskedFor(tx, worker))?.id ?? null,
    tool: asked.tool,
    source: asked.source,
    state: 'pending',
    optionId: null,
    answeredBy: null,
    logOffset: worker.logOffset,
    createdAt: deps.now().toISOString(),
    endedAt: null,
  };
  await tx.approvals.insert(row);
  await tell(tx, 'approval.requested', row);
}

/** The task for which an agent asks: the one that it is at, or was started for and gets once it has its answer. */
export async function taskAskedFor(
  tx: Transaction,
  { id: workerId, sessionId }: Pick<WorkerRow, 'id' | 'sessionId'>,
): Promise<TaskRow | undefined> {
  const input = await tx.inputs.first({ workerId, state: [...LIVE_INPUT], submittedOffset: { not: null } });
  if (input !== undefined) return input.taskId === null ? undefined : tx.tasks.get(input.taskId);
  const begun = await tx.tasks.find({ sessionId, status: ['running', 'awaiting_input'] });
  return begun.find(({ status, waitingFor }) => status === 'running' || waitingFor === 'answer');
}

async function update(tx: Transaction, row: ApprovalRow, patch: Partial<ApprovalRow>): Promise<void> {
  await tx.approvals.update(row.id, patch);
  await tell(tx, 'approval.updated', { ...row, ...patch });
}

/** Nothing is asked any more. What is just being answered is left to whoever answers it. */
export async function endQuestions(tx: Transaction, deps: ChangeDeps, workerId: string): Promise<void> {
  for (const row of await tx.approvals.find({ workerId, state: 'pending', optionId: null })) {
    await withdraw(tx, deps, row);
  }
}

/** Takes a question back that is not asked any more, also one that was just being answered. */
export async function withdraw(tx: Transaction, deps: ChangeDeps, row: ApprovalRow): Promise<void> {
  const patch = { state: 'withdrawn', optionId: null, answeredBy: null, endedAt: deps.now().toISOString() } as const;
  await tx.approvals.update(row.id, patch);
  await tell(tx, 'approval.withdrawn', { ...row, ...patch });
}

/** Records a change of a question; its words are cut, since events are kept for long and sent to everybody. */
export async function tell(
  tx: Transaction,
  type: Extract<EventType, `approval.${string}`>,
  row: ApprovalRow,
  more: Record<string, unknown> = {},
): Promise<void> {
  const { id, sessionId, workerId, taskId, text, tool, options, source, state, logOffset } = row;
  await tx.record({
    type,
    subject: { kind: 'approval', id },
    sessionId,
    data: {
      workerId,
      taskId,
      text: text.slice(0, APPROVAL_CUT_CHARS),
      tool,
      options,
      source,
      state,
      logOffset,
      ...more,
    },
  });
}

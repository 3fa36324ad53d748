import { ConsoleError } from '@agent-console/shared/errors';
import {
  APPROVAL_LABEL_MAX_CHARS,
  APPROVAL_OPTIONS_MAX,
  APPROVAL_TEXT_MAX_CHARS,
} from '@agent-console/shared/limits/approvals';
import { see } from '@agent-console/shared/see';
import { LIVE_INPUT } from '../../domain/inputs.ts';
import { isSameQuestion } from '../../domain/questions.ts';
import type { PendingQuestion } from '../../ports/agents.ts';
import type { ApprovalRow, TaskRow, WorkerRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { recordApproval, withdraw } from '../changes/approval-changes.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';

/**
 * Cuts a question to the maximum lengths that are stored. A question must be cut before it is compared with a stored
 * one.
 */
export function cutQuestion<Q extends Pick<PendingQuestion, 'text' | 'options'>>({ text, options }: Q) {
  return {
    text: text.slice(0, APPROVAL_TEXT_MAX_CHARS),
    options: options.slice(0, APPROVAL_OPTIONS_MAX).map(({ id, label, kind, effect }) => {
      const shown = { id, label: label.slice(0, APPROVAL_LABEL_MAX_CHARS), kind };
      return effect === undefined ? shown : { ...shown, effect };
    }),
  };
}

/**
 * Stores the question that an agent asks. A stored question from a hook receives its full text and options later, from
 * the screen.
 */
export async function storeQuestion(
  tx: Transaction,
  deps: ChangeDeps,
  worker: WorkerRow,
  asked: PendingQuestion,
): Promise<void> {
  const question = cutQuestion(asked);
  const open = await tx.approvals.find({ workerId: worker.id, state: 'pending' });
  // A question from the protocol is read once, so it is not compared with the stored questions. A question on a screen
  // is read several times.
  if (asked.source === 'protocol') {
    // If an agent repeats the id of an open request, it gets one answer for both requests.
    const isRepeated = asked.requestId !== undefined && open.some(({ requestId }) => requestId === asked.requestId);
    return isRepeated ? undefined : insertQuestion(tx, deps, worker, asked);
  }
  // The screen still shows a question whose answer is being typed. This question is not new.
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
  return insertQuestion(tx, deps, worker, asked);
}

async function insertQuestion(tx: Transaction, deps: ChangeDeps, worker: WorkerRow, asked: PendingQuestion) {
  const row = await tx.approvals.insert({
    ...cutQuestion(asked),
    id: deps.newId(),
    sessionId: worker.sessionId,
    workerId: worker.id,
    taskId: (await taskAwaitingAnswer(tx, worker))?.id ?? null,
    requestId: asked.requestId,
    kind: asked.kind ?? 'question',
    fields: asked.fields ?? [],
    url: asked.url,
    linkId: asked.linkId,
    tool: asked.tool,
    callId: asked.callId,
    source: asked.source,
    logOffset: worker.logOffset,
    createdAt: deps.now().toISOString(),
  });
  await recordApproval(tx, 'approval.requested', row);
}

/**
 * Returns the task during which the agent asks its question: the task whose prompt the console typed into the agent
 * last, if the agent is still processing this prompt. Otherwise, returns the session's task that runs or waits for an
 * answer.
 */
export async function taskAwaitingAnswer(
  tx: Transaction,
  { id: workerId, sessionId }: Pick<WorkerRow, 'id' | 'sessionId'>,
): Promise<TaskRow | undefined> {
  const input = await tx.inputs.first({ workerId, state: LIVE_INPUT, submittedOffset: { not: null } });
  if (input !== undefined) return input.taskId === null ? undefined : tx.tasks.get(input.taskId);
  const startedTasks = await tx.tasks.find({ sessionId, status: ['running', 'awaiting_input'] });
  return startedTasks.find(({ status, waitingFor }) => status === 'running' || waitingFor === 'answer');
}

async function update(tx: Transaction, row: ApprovalRow, patch: Partial<ApprovalRow>): Promise<void> {
  await tx.approvals.update(row.id, patch);
  await recordApproval(tx, 'approval.updated', { ...row, ...patch });
}

/**
 * Withdraws the pending questions of a worker, except those to which an answer is being typed.
 * @param ids the questions to withdraw; by default all of them
 */
export async function withdrawQuestions(
  tx: Transaction,
  deps: ChangeDeps,
  workerId: string,
  ids?: readonly string[],
): Promise<void> {
  const filter = ids === undefined ? {} : { id: ids };
  for (const row of await tx.approvals.find({ workerId, state: 'pending', optionId: null, ...filter })) {
    await withdraw(tx, deps, row);
  }
}

/**
 * Refuses to correct the activity of an agent that is driven over ACP and waits for an answer. The correction would
 * withdraw the question without an answer, and the agent would wait for ever.
 * @throws CONFLICT
 */
export async function refuseUnansweredQuestion(tx: Transaction, workerId: string): Promise<void> {
  const asked = await tx.approvals.first({ workerId, state: 'pending', optionId: null, source: 'protocol' });
  if (asked === undefined) return;
  const answer = see('approvals.answer', { approvalId: asked.id });
  throw new ConsoleError(
    'CONFLICT',
    `The agent waits for the answer to a question, so its activity cannot be changed. Answer the question (${answer.rest}), or cancel its task.`,
    { workerId, approvalId: asked.id, see: answer },
  );
}

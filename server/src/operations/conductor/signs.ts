import { outcomeOfTurn, unreported } from '../../domain/tasks.ts';
import { isAccepted, isTurnOver, type Signs, withTransition } from '../../domain/turns.ts';
import { LIVE_INPUT } from '../inputs.ts';
import type { Transition } from '../ports/agents.ts';
import type { InputRow, TaskRow, WorkerRow } from '../ports/rows.ts';
import type { Transaction } from '../ports/storage.ts';
import { deliverNotices, finishTask, makeTaskRun, makeTaskWait, type Pen } from '../task-changes.ts';

/**
 * Takes what was seen of an agent into its worker, its input and its task, in the order in which it was seen. All of
 * it is one transaction with `scanOffset`, so that after a crash the same output is read once more or not at all.
 */
export async function applyTransitions(
  tx: Transaction,
  pen: Pen,
  workerId: string,
  transitions: readonly Transition[],
  scanOffset: number,
): Promise<void> {
  const worker = await tx.workers.get(workerId);
  if (worker === undefined) return;
  let signs: Signs = worker;
  for (const transition of transitions) {
    signs = withTransition(signs, transition);
    await applySigns(tx, pen, worker, signs);
  }
  const last = transitions.at(-1);
  const changed = last !== undefined && (last.state !== worker.activityState || last.confidence !== worker.confidence);
  const { lastActiveOffset, lastIdleOffset, lastAskingOffset } = signs;
  const at = pen.now().toISOString();
  await tx.workers.update(workerId, {
    scanOffset,
    logOffset: Math.max(worker.logOffset, scanOffset),
    lastActiveOffset,
    lastIdleOffset,
    lastAskingOffset,
    ...(changed
      ? { activityState: last.state, activitySource: last.source, confidence: last.confidence, activitySince: at }
      : {}),
  });
  if (changed) await recordActivity(tx, worker, last);
}

async function recordActivity(
  tx: Transaction,
  worker: Pick<WorkerRow, 'id' | 'sessionId'>,
  seen: Transition,
): Promise<void> {
  await tx.record({
    type: 'activity.changed',
    subject: { kind: 'worker', id: worker.id },
    sessionId: worker.sessionId,
    data: {
      activityState: seen.state,
      activitySource: seen.source,
      confidence: seen.confidence,
      logOffset: seen.offset,
    },
  });
}

/** Moves the current input and its task on by what the signs say now. */
export async function applySigns(tx: Transaction, pen: Pen, worker: WorkerRow, signs: Signs): Promise<void> {
  const input = await tx.inputs.first({ workerId: worker.id, state: [...LIVE_INPUT] });
  if (input?.submittedOffset == null || input.taskId === null) return;
  if (isAccepted(input.submittedOffset, signs)) await acceptInput(tx, pen, worker, input);
  const task = await tx.tasks.get(input.taskId);
  if (task === undefined) return;
  if (isTurnOver(input.submittedOffset, signs)) {
    await tx.inputs.update(input.id, { state: 'ended' });
    await endTurn(tx, pen, input, task);
    return;
  }
  if (signs.activityState === 'asking' && task.status === 'running') await makeTaskWait(tx, pen, task, 'answer');
  if (signs.activityState === 'active' && task.status === 'awaiting_input' && task.waitingFor === 'answer') {
    await makeTaskRun(tx, task);
  }
}

async function acceptInput(tx: Transaction, pen: Pen, worker: WorkerRow, input: InputRow): Promise<void> {
  if (input.state === 'accepted') return;
  await tx.inputs.update(input.id, { state: 'accepted', acceptedBy: 'title' });
  if (input.taskId !== null) {
    await tx.tasks.update(input.taskId, { blocked: null });
    if (input.kind === 'notice') await deliverNotices(tx, pen, input.taskId);
  }
  await tx.record({
    type: 'input.accepted',
    subject: { kind: 'worker', id: worker.id },
    sessionId: worker.sessionId,
    data: { inputId: input.id, taskId: input.taskId, source: 'title' },
  });
}

async function endTurn(tx: Transaction, pen: Pen, input: InputRow, task: TaskRow): Promise<void> {
  if (input.kind === 'notice') {
    await finishTask(tx, pen, task.id, { status: 'completed', source: 'title', certain: false });
    return;
  }
  if (input.kind === 'reminder') {
    await finishTask(tx, pen, task.id, unreported());
    return;
  }
  if (task.status !== 'running' && task.status !== 'awaiting_input') return;
  const outcome = outcomeOfTurn({ sourceKind: task.sourceKind, reminded: task.remindedAt !== null });
  if (outcome === 'await-report') await makeTaskWait(tx, pen, task, 'report');
  else await finishTask(tx, pen, task.id, outcome);
}

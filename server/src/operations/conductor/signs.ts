import type { Outcome } from '../../domain/tasks.ts';
import { outcomeOfExit, outcomeOfTurn, unreported } from '../../domain/tasks.ts';
import { isAccepted, isTurnOver, type Signs, withTransition } from '../../domain/turns.ts';
import type { Transition } from '../ports/agents.ts';
import type { InputRow, TaskRow, WorkerRow } from '../ports/rows.ts';
import type { Transaction } from '../ports/storage.ts';
import { deliverNotices, finishTask, makeTaskRun, makeTaskWait, type Pen } from '../task-changes.ts';

/** Inputs that are on their way or whose turn goes on. */
export const LIVE_INPUT = ['queued', 'pasting', 'pasted', 'submitting', 'submitted', 'uncertain', 'accepted'] as const;

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
  const input = await tx.inputs.first({ workerId: worker.id, state: [...LIVE_INPUT], kind: { not: 'typing' } });
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

/** Ends what a worker that is no more was at. `outcome` is decided by the exit unless it is known better. */
export async function endWorkerRow(
  tx: Transaction,
  pen: Pen,
  workerId: string,
  end: { state: 'exited' | 'lost'; exitCode: number | null; signal: string | null; offset: number; warning?: string },
  known?: Outcome,
): Promise<void> {
  const worker = await tx.workers.get(workerId);
  if (worker === undefined || worker.state === 'exited' || worker.state === 'lost') return;
  const at = pen.now().toISOString();
  await tx.workers.update(workerId, {
    state: end.state,
    exitCode: end.exitCode,
    signal: end.signal,
    activityState: 'unknown',
    activitySource: 'process',
    activitySince: at,
    confidence: 'certain',
    logOffset: Math.max(worker.logOffset, end.offset),
    scanOffset: Math.max(worker.scanOffset, end.offset),
    dirtySince: null,
    warnings: end.warning === undefined ? worker.warnings : [...worker.warnings, end.warning],
    endedAt: at,
  });
  await tx.record({
    type: end.state === 'exited' ? 'worker.exited' : 'worker.lost',
    subject: { kind: 'worker', id: workerId },
    sessionId: worker.sessionId,
    data: { workerType: worker.type, exitCode: end.exitCode, signal: end.signal, logOffset: end.offset },
  });
  const accepted = await dropInputs(tx, workerId);
  if (worker.type !== 'agent') return;
  for (const task of await tx.tasks.find({ sessionId: worker.sessionId, status: ['running', 'awaiting_input'] })) {
    const outcome =
      end.state === 'lost'
        ? ({
            status: 'interrupted',
            source: 'system',
            certain: true,
            error: {
              code: 'RUNNER_UNAVAILABLE',
              message: 'The process was lost with the machine or its runner. Resume the session to go on.',
            },
          } as const)
        : outcomeOfExit(end, accepted.has(task.id) || task.waitingFor === 'report');
    await finishTask(tx, pen, task.id, known ?? outcome);
  }
  const queued = await tx.tasks.count({ sessionId: worker.sessionId, status: 'queued' });
  if (queued > 0) await tx.sessions.update(worker.sessionId, { queueHeld: true });
}

/** Nothing is typed to an ended worker; answers the tasks whose text it had taken. */
async function dropInputs(tx: Transaction, workerId: string): Promise<Set<string>> {
  const accepted = new Set<string>();
  for (const input of await tx.inputs.find({ workerId, state: [...LIVE_INPUT] })) {
    if (input.taskId !== null && (input.state === 'accepted' || input.state === 'submitted'))
      accepted.add(input.taskId);
    await tx.inputs.update(input.id, { state: input.state === 'accepted' ? 'ended' : 'dropped' });
  }
  return accepted;
}

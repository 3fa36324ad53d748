import type { ActivitySource } from '@agent-console/shared/models/worker';
import { LIVE_INPUT } from '../../domain/inputs.ts';
import {
  isOpen,
  outcomeOfTurn,
  outcomeOfTurnFailure,
  outcomeWithoutReport,
  quotaWait,
  sourceOfTurnEnd,
} from '../../domain/tasks.ts';
import {
  type ActivityOffsets,
  isAccepted,
  isSamePrompt,
  isTurnOver,
  NO_REPORT,
  recordedFailure,
  type TurnFailure,
  type TurnReport,
  withPromptAccepted,
  withTransition,
} from '../../domain/turns.ts';
import type { AgentObservation, Transition } from '../../ports/agents.ts';
import type { InputRow, TaskRow, WorkerRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { storeQuestion, taskAwaitingAnswer, withdrawQuestions } from '../approvals/questions.ts';
import { about } from '../changes/subjects.ts';
import {
  type ChangeDeps,
  deliverNotices,
  finishTask,
  setTaskRunning,
  setTaskWaiting,
  waitForQuota,
} from '../changes/task-changes.ts';
import { lastMessageOf, lastMessagesOf, storeLastMessage } from '../transcripts/last-message.ts';
import { recordedEnd } from '../transcripts/position.ts';

/**
 * Positions up to which a worker's output and signals were read, and the id of the agent's own conversation if it
 * became known.
 */
export interface ReadUpTo {
  scanOffset: number;
  signalsOffset: number;
  nativeId?: string;
}

/**
 * Applies observations of an agent to its worker, input and task, in order. All changes and positions are stored in one
 * transaction, so a crash neither loses nor repeats an observation.
 */
export async function applyObservations(
  tx: Transaction,
  deps: ChangeDeps,
  workerId: string,
  observations: readonly AgentObservation[],
  { scanOffset, signalsOffset, nativeId }: ReadUpTo,
): Promise<void> {
  const worker = await tx.workers.get(workerId);
  if (worker === undefined) return;
  let activity: ActivityOffsets = worker;
  let last: Transition | undefined;
  let report: TurnReport = NO_REPORT;
  for (const seen of observations) {
    if ('prompt' in seen) {
      activity = await acceptPrompt(tx, deps, worker, activity, seen.prompt, report);
    } else if ('words' in seen) {
      report = { ...report, lastMessage: seen.words };
      await storeLastMessage(tx, deps, worker, seen.words);
    } else if ('failure' in seen) {
      report = { ...report, failure: seen.failure };
    } else if ('asked' in seen) {
      if (activity.activityState !== 'asking') continue;
      if (seen.asked !== null) await storeQuestion(tx, deps, worker, seen.asked);
      await waitForAnswer(tx, deps, worker, seen.asked?.text ?? null);
    } else {
      last = seen;
      activity = withTransition(activity, seen);
      if (seen.state !== 'asking') await withdrawQuestions(tx, deps, workerId);
      await applyActivity(tx, deps, worker, activity, seen.source, report);
      if (seen.state === 'active') report = NO_REPORT;
    }
  }
  const { lastActiveOffset, lastIdleOffset, lastAskingOffset } = activity;
  await tx.workers.update(workerId, {
    scanOffset,
    signalsOffset,
    logOffset: Math.max(worker.logOffset, scanOffset),
    lastActiveOffset,
    lastIdleOffset,
    lastAskingOffset,
  });
  if (nativeId !== undefined) await tx.sessions.update(worker.sessionId, { nativeId });
  if (last !== undefined) await changeActivity(tx, deps, worker, last);
}

async function changeActivity(tx: Transaction, deps: ChangeDeps, worker: WorkerRow, seen: Transition): Promise<void> {
  const { state, source, confidence, disputed = [] } = seen;
  const isNew = state !== worker.activityState;
  const key = JSON.stringify([confidence, disputed]);
  if (!isNew && key === JSON.stringify([worker.confidence, worker.disputed])) return;
  await tx.workers.update(worker.id, {
    activityState: state,
    activitySource: source,
    confidence,
    disputed: [...disputed],
    ...(isNew ? { activitySince: deps.now().toISOString() } : {}),
  });
  const data = { activityState: state, activitySource: source, confidence, disputed, logOffset: seen.offset };
  await tx.record({ type: 'activity.changed', ...about('worker', worker), data });
}

/**
 * Marks the current input as accepted if the agent reports a prompt with the text of the input. The report alone is
 * sufficient, because signals of activity may arrive later.
 */
async function acceptPrompt(
  tx: Transaction,
  deps: ChangeDeps,
  worker: WorkerRow,
  activity: ActivityOffsets,
  prompt: string,
  report: TurnReport,
): Promise<ActivityOffsets> {
  const input = await tx.inputs.first({ workerId: worker.id, state: ['submitting', 'submitted', 'uncertain'] });
  if (input === undefined || !isSamePrompt(input.text, prompt)) return activity;
  if (input.submittedOffset === null) {
    // The agent's report arrived before the runner's receipt for Enter was stored. The input is accepted when the
    // receipt is stored.
    await tx.inputs.update(input.id, { acceptedBy: 'hook' });
    return activity;
  }
  const accepted = withPromptAccepted(input.submittedOffset, activity);
  await applyActivity(tx, deps, worker, accepted, 'hook', report);
  return accepted;
}

/**
 * Updates the current input and its task after the worker's activity has changed. `source` says how the new activity
 * became known; `report` describes how the turn ended.
 */
export async function applyActivity(
  tx: Transaction,
  deps: ChangeDeps,
  worker: WorkerRow,
  activity: ActivityOffsets,
  source: ActivitySource,
  report: TurnReport = NO_REPORT,
): Promise<void> {
  const input = await tx.inputs.first({ workerId: worker.id, state: LIVE_INPUT });
  if (input?.submittedOffset == null || input.taskId === null) {
    if (activity.activityState !== 'asking') await resumeTask(tx, worker);
    return;
  }
  const task = await tx.tasks.get(input.taskId);
  if (task === undefined) return;
  if (isAccepted(input.submittedOffset, activity)) await acceptInput(tx, deps, worker, input, task, source);
  if (isTurnOver(input.submittedOffset, activity)) {
    await tx.inputs.update(input.id, { state: 'ended' });
    await endTurn(tx, deps, input, task, source, report);
    return;
  }
  if (activity.activityState === 'asking') {
    // If the question is not stored yet, the task starts to wait as soon as a later observation contains the question's
    // text.
    const asked = await tx.approvals.first({ workerId: worker.id, state: 'pending', optionId: null });
    if (asked !== undefined) await waitForAnswer(tx, deps, worker, asked.text);
  }
  if (activity.activityState === 'active' && task.status === 'awaiting_input' && task.waitingFor === 'answer') {
    await setTaskRunning(tx, task);
  }
}

/** Makes the current task wait for an answer to `question`, and notifies the session that delegated the task. */
async function waitForAnswer(
  tx: Transaction,
  deps: ChangeDeps,
  worker: WorkerRow,
  question: string | null,
): Promise<void> {
  const task = await taskAwaitingAnswer(tx, worker);
  if (task?.status === 'running') await setTaskWaiting(tx, deps, task, 'answer', question);
}

/**
 * Resumes a task that waits for an answer, because the agent no longer asks. The agent may have asked before it
 * received the prompt, for example whether to trust the folder.
 */
async function resumeTask(tx: Transaction, worker: WorkerRow): Promise<void> {
  const task = await taskAwaitingAnswer(tx, worker);
  if (task?.status === 'awaiting_input' && task.waitingFor === 'answer') await setTaskRunning(tx, task);
}

async function acceptInput(
  tx: Transaction,
  deps: ChangeDeps,
  worker: WorkerRow,
  input: InputRow,
  task: TaskRow,
  source: ActivitySource,
): Promise<void> {
  // An input in state `interrupting` keeps this state until the interrupt keys are typed.
  if (input.state === 'accepted' || input.state === 'interrupting') return;
  await tx.inputs.update(input.id, { state: 'accepted', acceptedBy: source });
  // An input that was accepted before its task ended, for example before an interrupt, gets no second event.
  if (input.acceptedBy !== null && !isOpen(task.status)) return;
  await tx.tasks.update(task.id, { blocked: null });
  if (input.kind === 'notice') await deliverNotices(tx, deps, task.id);
  const data = { inputId: input.id, taskId: task.id, source };
  await tx.record({ type: 'input.accepted', ...about('worker', worker), data });
}

async function endTurn(
  tx: Transaction,
  deps: ChangeDeps,
  input: InputRow,
  task: TaskRow,
  signalSource: ActivitySource,
  { lastMessage, failure, recorded }: TurnReport,
): Promise<void> {
  const source = recorded ? 'transcript' : signalSource;
  const inTranscript = recordedFailure(recordedEnd(await tx.transcripts.get(task.sessionId), input.id));
  // The agent's report of the failure may lack the time at which the subscription limit is reset. The transcript may
  // contain that time.
  const failed = failure === null ? inTranscript : { ...pickReset(inTranscript), ...failure };
  const until = failed === null ? null : quotaWait(task, failed, deps.now());
  if (until !== null) {
    await waitForQuota(tx, deps, task, until);
    return;
  }
  if (failed !== null) {
    await finishTask(tx, deps, task.id, outcomeOfTurnFailure(failed));
    return;
  }
  if (task.kind === 'notice') {
    await finishTask(tx, deps, task.id, { status: 'completed', source: sourceOfTurnEnd(source), certain: false });
    return;
  }
  if (input.kind === 'reminder') {
    const { workMessage, reply } = await lastMessagesOf(tx, task.id);
    await finishTask(tx, deps, task.id, outcomeWithoutReport(source, workMessage, reply));
    return;
  }
  if (task.status !== 'running' && task.status !== 'awaiting_input') return;
  const workMessage = lastMessage ?? (await lastMessageOf(tx, task.id));
  const outcome = outcomeOfTurn(
    { sourceKind: task.sourceKind, reminded: task.remindedAt !== null },
    source,
    workMessage,
  );
  if (outcome === 'await-report') await setTaskWaiting(tx, deps, task, 'report');
  else await finishTask(tx, deps, task.id, outcome);
}

function pickReset(failure: TurnFailure | null): Pick<TurnFailure, 'resetsAt'> {
  return failure?.resetsAt === undefined ? {} : { resetsAt: failure.resetsAt };
}

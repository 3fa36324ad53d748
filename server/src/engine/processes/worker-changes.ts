import { LIVE_INPUT } from '../../domain/inputs.ts';
import { ACTIVE_STATUSES, type Outcome, outcomeOfExit } from '../../domain/tasks.ts';
import type { WorkerRow } from '../../ports/rows.ts';
import type { ProcessExit } from '../../ports/runner.ts';
import type { Transaction } from '../../ports/storage.ts';
import { withdrawQuestions } from '../approvals/questions.ts';
import { about } from '../changes/subjects.ts';
import { type ChangeDeps, finishTask } from '../changes/task-changes.ts';
import { exitCodeOf } from '../output/exit-code.ts';

interface WorkerEnd extends ProcessExit {
  state: 'exited' | 'lost';
  warning?: string;
  /** The last lines that the agent showed, after a heading such as "Last lines on its screen:". */
  shown?: string;
}

/** The exit that is stored for a worker whose process was never started. */
export const NEVER_RAN: WorkerEnd = { state: 'exited', exitCode: null, signal: null, offset: 0 };

/**
 * Stores the end of a worker, and ends its inputs, questions, tokens and tasks. `known` is the outcome of the active
 * tasks; by default the outcome follows from the exit.
 */
export async function endWorkerRow(
  tx: Transaction,
  deps: ChangeDeps,
  workerId: string,
  end: WorkerEnd,
  known?: Outcome,
): Promise<void> {
  const worker = await tx.workers.get(workerId);
  if (worker === undefined || worker.state === 'exited' || worker.state === 'lost') return;
  const at = deps.now().toISOString();
  await tx.workers.update(workerId, {
    state: end.state,
    exitCode: end.exitCode,
    signal: end.signal,
    activityState: 'unknown',
    activitySource: 'process',
    activitySince: at,
    confidence: 'certain',
    disputed: [],
    logOffset: Math.max(worker.logOffset, end.offset),
    scanOffset: Math.max(worker.scanOffset, end.offset),
    dirtySince: null,
    warnings: end.warning === undefined ? worker.warnings : [...worker.warnings, end.warning],
    endedAt: at,
  });
  await tx.record({
    type: end.state === 'exited' ? 'worker.exited' : 'worker.lost',
    ...about('worker', worker),
    data: { workerType: worker.type, exitCode: end.exitCode, signal: end.signal, logOffset: end.offset },
  });
  await tx.tokens.remove({ workerId });
  await withdrawQuestions(tx, deps, workerId);
  const accepted = await dropInputs(tx, workerId);
  if (worker.type !== 'agent') return;
  await storeExitCode(tx, worker, end);
  for (const task of await tx.tasks.find({ sessionId: worker.sessionId, status: ACTIVE_STATUSES })) {
    const isAccepted = accepted.has(task.id) || task.waitingFor === 'report';
    const progress = task.waitingFor === 'quota' ? 'quota' : isAccepted ? 'accepted' : 'unaccepted';
    const outcome = end.state === 'lost' ? LOST : outcomeOfExit(end, progress, end.shown);
    await finishTask(tx, deps, task.id, known ?? outcome);
  }
  const queued = await tx.tasks.count({ sessionId: worker.sessionId, status: 'queued' });
  const session = await tx.sessions.get(worker.sessionId);
  // A session that was paused for being idle, or by a budget, keeps its queue running: a prompt, a notice or a raised
  // budget resumes the session.
  const isResumable = session?.mark === 'paused' && (session.pausedBy === 'idle' || session.pausedBy === 'budget');
  if (queued > 0 && !isResumable) await tx.sessions.update(worker.sessionId, { queueHeld: true });
}

const LOST: Outcome = {
  status: 'interrupted',
  source: 'system',
  certain: true,
  error: {
    code: 'RUNNER_UNAVAILABLE',
    message: 'The process ended because the machine or the runner stopped. Resume the session to continue.',
  },
};

/** Stores the exit code of an orchestration's agent that was cancelled or timed out before its process ended. */
async function storeExitCode(
  tx: Transaction,
  { sessionId, createdAt }: Pick<WorkerRow, 'sessionId' | 'createdAt'>,
  end: WorkerEnd,
): Promise<void> {
  const exitCode = exitCodeOf(end);
  const agent = await tx.orchestrationAgents.first({ sessionId, state: ['cancelled', 'failed'], exitCode: null });
  if (agent === undefined || exitCode === null || (agent.state === 'failed' && agent.reason !== 'timeout')) return;
  // A worker that was created after the agent had ended belongs to a later prompt of a person. Its exit code is not
  // stored for the agent.
  if (createdAt > (agent.completedAt ?? createdAt)) return;
  await tx.orchestrationAgents.update(agent.id, { exitCode });
}

/**
 * Ends the accepted inputs of an ended worker, and drops its other inputs. Returns the ids of the tasks whose text the
 * worker had received.
 */
async function dropInputs(tx: Transaction, workerId: string): Promise<Set<string>> {
  const accepted = new Set<string>();
  for (const input of await tx.inputs.find({ workerId, state: LIVE_INPUT })) {
    if (input.taskId !== null && (input.state === 'accepted' || input.state === 'submitted'))
      accepted.add(input.taskId);
    await tx.inputs.update(input.id, { state: input.state === 'accepted' ? 'ended' : 'dropped' });
  }
  return accepted;
}

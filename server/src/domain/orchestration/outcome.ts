import { ATTEMPTS_MAX } from '@agent-console/shared/limits/orchestrations';
import type { RecoveryPolicy } from '@agent-console/shared/models/orchestration';
import type { OutcomeSource, TaskOutcome, TaskStatus } from '@agent-console/shared/models/task';

/** The ended task of an attempt. */
export interface EndedTask {
  status: TaskOutcome;
  outcomeSource: OutcomeSource | null;
  certain: boolean | null;
  summary: string | null;
  error: { code: string; message: string } | null;
  /** Exit code of the agent's process, if it has exited; otherwise null. */
  exitCode: number | null;
}

/** New state of an agent after the task of one of its attempts has ended. */
export interface AttemptEnd {
  state: 'completed' | 'failed' | 'cancelled' | 'interrupted';
  reason: string | null;
  errorMessage: string | null;
  exitCode: number | null;
  /** Whether the agent gets another attempt. It then becomes `pending` instead of staying in `state`. */
  retry: boolean;
}

/**
 * Returns the new state of an agent after the task of one of its attempts has ended.
 *
 * Reasons of a failure:
 * - `reported`: the agent reported the failure.
 * - `exited`: the process exited with an error.
 * - `timeout`: the time limit was reached.
 * - `unreported`: the agent ended without a report.
 * - `error`: the agent could not be started, or its turn ended with an error.
 * - `server_restart`: the process or the start of the agent was lost, and the recovery policy is `fail` or ATTEMPTS_MAX
 *   is reached.
 *
 * Reasons of an interruption:
 * - `server_restart`: the process was lost. The recovery policy applies. An agent whose start was lost has no
 *   conversation to resume, so it gets another attempt.
 * - `session_paused`: somebody paused the session. The agent waits until somebody resumes it.
 *
 * `maxAttempts` limits attempts after a failure. ATTEMPTS_MAX limits attempts after an interruption, because the agent
 * itself may have crashed the machine.
 */
export function attemptEnd(
  task: EndedTask,
  agent: { attempt: number; maxAttempts: number },
  orchestration: { acceptUnreported: boolean; onInterrupted: RecoveryPolicy },
): AttemptEnd {
  const failed = (reason: string, errorMessage: string): AttemptEnd => ({
    state: 'failed',
    reason,
    errorMessage,
    exitCode: task.outcomeSource === 'exit' ? task.exitCode : null,
    retry: agent.attempt < agent.maxAttempts,
  });
  const lost = (policy: RecoveryPolicy): AttemptEnd => {
    if (policy === 'fail') return failed('server_restart', task.error?.message ?? LOST);
    const isRerun = policy === 'rerun';
    if (isRerun && agent.attempt >= ATTEMPTS_MAX) return failed('server_restart', TOO_OFTEN);
    return interrupted('server_restart', isRerun);
  };
  const facts = { ...task, errorCode: task.error?.code ?? null };
  switch (task.status) {
    case 'completed': {
      if (task.certain === false && !orchestration.acceptUnreported) return failed('unreported', UNREPORTED);
      const exitCode = task.outcomeSource === 'exit' ? task.exitCode : null;
      return { state: 'completed', reason: null, errorMessage: null, exitCode, retry: false };
    }
    case 'failed':
      if (isLost(facts)) return lost(orchestration.onInterrupted === 'fail' ? 'fail' : 'rerun');
      return failed(
        reasonOfFailure(task),
        task.error?.message ?? task.summary ?? 'The agent failed without a message.',
      );
    case 'cancelled':
      return { state: 'cancelled', reason: null, errorMessage: null, exitCode: task.exitCode, retry: false };
    case 'interrupted':
      return isLost(facts) ? lost(orchestration.onInterrupted) : interrupted('session_paused', false);
  }
}

const UNREPORTED = 'The agent ended without reporting a result.';
const LOST = 'The process of the agent was lost, because the machine or the runner stopped.';
const TOO_OFTEN = `The process of the agent was lost again. The agent is not restarted, because an agent has at most ${ATTEMPTS_MAX} attempts.`;

function interrupted(reason: string, retry: boolean): AttemptEnd {
  return { state: 'interrupted', reason, errorMessage: null, exitCode: null, retry };
}

type LostFacts = Pick<EndedTask, 'outcomeSource'> & { status: TaskStatus; errorCode: string | null };

/**
 * Whether a task ended because the machine or the runner stopped. It is `interrupted` if its process was lost, and
 * `failed` if its agent was still being started.
 */
export function isLost({ status, outcomeSource, errorCode }: LostFacts): boolean {
  const isEnded = status === 'interrupted' || status === 'failed';
  return isEnded && outcomeSource === 'system' && errorCode === 'RUNNER_UNAVAILABLE';
}

function reasonOfFailure({ outcomeSource, error }: EndedTask): string {
  if (outcomeSource === 'report') return 'reported';
  if (outcomeSource === 'exit') return 'exited';
  return error?.code === 'TIMEOUT' ? 'timeout' : 'error';
}

import { ATTEMPTS_MAX } from '@agent-console/shared/limits/orchestrations';
import type { RecoveryPolicy } from '@agent-console/shared/models/orchestration';
import type { OutcomeSource, TaskOutcome } from '@agent-console/shared/models/task';

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
 * - `server_restart`: the process was lost, and the recovery policy is `fail` or ATTEMPTS_MAX is reached.
 *
 * Reasons of an interruption:
 * - `server_restart`: the process was lost. The recovery policy applies.
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
  switch (task.status) {
    case 'completed': {
      if (task.certain === false && !orchestration.acceptUnreported) return failed('unreported', UNREPORTED);
      const exitCode = task.outcomeSource === 'exit' ? task.exitCode : null;
      return { state: 'completed', reason: null, errorMessage: null, exitCode, retry: false };
    }
    case 'failed':
      return failed(
        reasonOfFailure(task),
        task.error?.message ?? task.summary ?? 'The agent failed without a message.',
      );
    case 'cancelled':
      return { state: 'cancelled', reason: null, errorMessage: null, exitCode: task.exitCode, retry: false };
    case 'interrupted': {
      if (!isLost(task)) return interrupted('session_paused', false);
      if (orchestration.onInterrupted === 'fail') return failed('server_restart', task.error?.message ?? LOST);
      const isRerun = orchestration.onInterrupted === 'rerun';
      if (isRerun && agent.attempt >= ATTEMPTS_MAX) return failed('server_restart', TOO_OFTEN);
      return interrupted('server_restart', isRerun);
    }
  }
}

const UNREPORTED = 'The agent ended without reporting a result.';
const LOST = 'The process of the agent was lost, because the machine or the runner stopped.';
const TOO_OFTEN = `The process of the agent was lost again. The agent is not restarted, because an agent has at most ${ATTEMPTS_MAX} attempts.`;

function interrupted(reason: string, retry: boolean): AttemptEnd {
  return { state: 'interrupted', reason, errorMessage: null, exitCode: null, retry };
}

/** Whether a task was interrupted because its process was lost, and not because somebody paused the session. */
function isLost({ outcomeSource, error }: EndedTask): boolean {
  return outcomeSource === 'system' && error !== null;
}

function reasonOfFailure({ outcomeSource, error }: EndedTask): string {
  if (outcomeSource === 'report') return 'reported';
  if (outcomeSource === 'exit') return 'exited';
  return error?.code === 'TIMEOUT' ? 'timeout' : 'error';
}

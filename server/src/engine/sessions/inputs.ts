import { ConsoleError } from '@agent-console/shared/errors';
import { INPUT_WAIT_MS } from '@agent-console/shared/limits/processes';

/** Creates the error for an input that stays queued because the process or the runner does not respond. */
export function notTakenYet(workerId: string, inputId: string): ConsoleError {
  return new ConsoleError(
    'TIMEOUT',
    `The process has not accepted the input within ${INPUT_WAIT_MS / 1_000} s. The input stays queued. You can safely retry with the same \`inputId\`: the input is typed only once.`,
    { workerId, inputId },
  );
}

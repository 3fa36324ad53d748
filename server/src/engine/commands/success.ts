import { ConsoleError } from '@agent-console/shared/errors';
import type { CommandEnd } from './commands.ts';

/** Requires that the command exited with code 0 in time. @throws TIMEOUT or CONFLICT with the last output otherwise. */
export function requireSuccess(end: CommandEnd, name: string): void {
  const { exitCode, signal, timedOut, output, workerId } = end;
  if (exitCode === 0 && !timedOut) return;
  const details = { workerId, exitCode, signal, output };
  const lastOutput = output === '' ? '' : ` Its last output: ${output.slice(-SHOWN_CHARS)}`;
  if (timedOut) {
    throw new ConsoleError('TIMEOUT', `${name} did not finish in time and was stopped.${lastOutput}`, details, {
      retryable: false,
    });
  }
  const how = signal === null ? `exited with code ${exitCode}` : `was terminated by ${signal}`;
  throw new ConsoleError('CONFLICT', `${name} ${how}.${lastOutput}`, details);
}

/** Maximum number of characters of a command's output in an error message. The details of the error contain more. */
const SHOWN_CHARS = 1_000;

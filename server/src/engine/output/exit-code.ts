import { constants } from 'node:os';
import type { ProcessExit } from '../../ports/runner.ts';

/**
 * Returns the exit code of a process as shells report it: 128 + n after Unix signal n. Null if the process never ran or
 * was lost.
 */
export function exitCodeOf({ exitCode, signal }: Pick<ProcessExit, 'exitCode' | 'signal'>): number | null {
  if (exitCode !== null || signal === null) return exitCode;
  const numbers: Readonly<Record<string, number>> = constants.signals;
  const number = numbers[signal];
  return number === undefined ? null : 128 + number;
}

import * as v from 'valibot';
import { described } from '../describe.ts';
import { nullableIdOf } from '../ids.ts';
import { Timestamp } from '../time.ts';

/** Result of the repository's check command for one commit. */
export const CheckResult = v.object({
  commit: described(v.string(), 'Commit that was checked out while the command ran'),
  clean: described(v.boolean(), 'Whether there were no uncommitted changes while the command ran'),
  passed: described(v.boolean(), 'Whether the command exited with code 0'),
  exitCode: described(v.nullable(v.number()), 'Exit code; null if the command was ended by a signal or its time limit'),
  durationMs: described(v.number(), 'Duration in milliseconds'),
  workerId: nullableIdOf('worker', 'Terminal in which the command ran, or null if it no longer exists'),
  endedAt: described(Timestamp, 'End time'),
});
export type CheckResult = v.InferOutput<typeof CheckResult>;

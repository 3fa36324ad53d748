import * as v from 'valibot';
import { described } from '../describe.ts';
import { nullableIdOf } from '../ids.ts';
import { Timestamp } from '../time.ts';

/** Result of the repository's check command for one commit. */
export const CheckResult = v.object({
  commit: described(v.string(), 'Id of the commit that was checked out while the command ran'),
  clean: described(v.boolean(), 'Whether there were no uncommitted changes while the command ran'),
  passed: described(v.boolean(), 'Whether the check command exited with code 0 within the time limit'),
  exitCode: described(
    v.nullable(v.number()),
    'Exit code of the check command; null if it has none, for example because a Unix signal or the time limit ended it',
  ),
  durationMs: described(v.number(), 'Duration of the check command in milliseconds'),
  workerId: nullableIdOf(
    'worker',
    'Id of the terminal worker in which the command ran, or null if it no longer exists',
  ),
  endedAt: described(Timestamp, 'Time when the check command ended'),
});
export type CheckResult = v.InferOutput<typeof CheckResult>;

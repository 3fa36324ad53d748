import * as v from 'valibot';
import { described } from '../describe.ts';
import { nullableIdOf, ownId, untyped } from '../ids.ts';
import { Timestamp } from '../time.ts';
import { Failure } from './failure.ts';

export const JobKind = v.picklist([
  'repository-clone',
  'worktree-creation',
  'check',
  'commit',
  'base-update',
  'push',
  'pull-request',
  'integration',
]);

/** Background work of the console, such as a clone, the creation of a worktree, or a check. */
export const Job = v.object({
  id: ownId('Job'),
  kind: described(JobKind, 'Kind of work that the job does'),
  state: described(v.picklist(['running', 'succeeded', 'failed']), 'State of the job'),
  progress: described(
    v.object({
      fraction: described(v.number(), 'Completed fraction, 0 to 1'),
      phase: described(v.string(), 'Current phase of the job'),
      terminal: v.optional(
        described(
          v.object({
            sessionId: nullableIdOf('session', 'Id of the session to which the terminal belongs, or null'),
            workerId: nullableIdOf('worker', 'Id of the terminal worker, or null'),
          }),
          'Terminal in which the newest command of the job runs or ran',
        ),
      ),
    }),
    'Progress',
  ),
  result: v.optional(untyped(v.record(v.string(), v.unknown()), 'Result of a successful job')),
  error: v.optional(
    described(
      v.object({
        ...Failure.entries,
        details: untyped(v.record(v.string(), v.unknown()), 'Machine-readable details; keys depend on the error code'),
      }),
      'Error of a failed job',
    ),
  ),
  createdAt: described(Timestamp, 'Creation time'),
  endedAt: described(v.nullable(Timestamp), 'End time, or null while the job is running'),
});
export type Job = v.InferOutput<typeof Job>;

import * as v from 'valibot';
import { Timestamp } from '../time.ts';

/** A background chore of the console: a clone, or the creation of a worktree. */
export const Job = v.object({
  id: v.string(),
  kind: v.picklist(['repository-clone', 'worktree-creation']),
  state: v.picklist(['running', 'succeeded', 'failed']),
  progress: v.object({ fraction: v.number(), phase: v.string() }),
  result: v.optional(v.record(v.string(), v.unknown())),
  error: v.optional(v.object({ code: v.string(), message: v.string(), details: v.record(v.string(), v.unknown()) })),
  createdAt: Timestamp,
  endedAt: v.nullable(Timestamp),
});
export type Job = v.InferOutput<typeof Job>;

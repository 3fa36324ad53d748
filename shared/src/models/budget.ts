import * as v from 'valibot';
import { described } from '../describe.ts';

/** Limits of an orchestration or of a session's subtree. A limit that is left out is not checked. */
export const Budget = v.strictObject({
  wallSeconds: v.optional(
    described(
      v.pipe(v.number(), v.minValue(1), v.maxValue(2_592_000)),
      'Seconds: for an orchestration, since its start without pauses; for a session, while tasks of its subtree run',
    ),
  ),
  agents: v.optional(
    described(
      v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
      'Number of sessions that are started; every attempt counts',
    ),
  ),
  tokens: v.optional(
    described(v.pipe(v.number(), v.safeInteger(), v.minValue(1)), 'Input and output tokens, without cached ones'),
  ),
  money: v.optional(
    described(v.pipe(v.number(), v.minValue(0.01)), 'US dollars, only for agents that report their cost'),
  ),
});
export type Budget = v.InferOutput<typeof Budget>;
export type BudgetLimit = keyof Budget;

/** What an orchestration or a session's subtree has used so far. */
export const BudgetUse = v.object({
  wallSeconds: described(
    v.number(),
    'Seconds: for an orchestration, since its start without pauses; for a session, while tasks of its subtree ran',
  ),
  agents: described(v.number(), 'Number of sessions that were started; every attempt counts'),
  tokens: described(v.number(), 'Input and output tokens, without cached ones'),
  cachedTokens: described(v.number(), 'Input tokens that were read from a cache; no budget counts them'),
  money: described(v.nullable(v.number()), 'US dollars as reported by the agents; null if none reports its cost'),
});
export type BudgetUse = v.InferOutput<typeof BudgetUse>;

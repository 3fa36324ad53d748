import * as v from 'valibot';
import { described } from '../describe.ts';

/**
 * Limits on what an orchestration, or a session with its descendants, may use. A limit that is left out does not apply.
 */
export const Budget = v.strictObject({
  wallSeconds: v.optional(
    described(
      v.pipe(v.number(), v.minValue(1), v.maxValue(2_592_000)),
      'Maximum running time in seconds. Orchestration: time since its start, excluding pauses. Session: time in which at least one task in its subtree runs',
    ),
  ),
  agents: v.optional(
    described(
      v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
      'Maximum number of sessions started; every attempt of an agent counts',
    ),
  ),
  tokens: v.optional(
    described(
      v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
      'Maximum input and output tokens, excluding cached input tokens',
    ),
  ),
  money: v.optional(
    described(
      v.pipe(v.number(), v.minValue(0.01)),
      'Maximum cost in US dollars; only agents over ACP report their cost',
    ),
  ),
});
export type Budget = v.InferOutput<typeof Budget>;
export type BudgetLimit = keyof Budget;

/** What an orchestration or a session's subtree has used so far. */
export const BudgetUse = v.object({
  wallSeconds: described(
    v.number(),
    'Running time in seconds. Orchestration: time since its start, excluding pauses. Session: time during which at least one task in its subtree ran',
  ),
  agents: described(v.number(), 'Number of sessions started so far; every attempt of an agent counts'),
  tokens: described(v.number(), 'Number of input and output tokens, excluding cached input tokens'),
  cachedTokens: described(v.number(), 'Number of input tokens read from a cache; not counted against a budget'),
  money: described(
    v.nullable(v.number()),
    'Cost in US dollars as reported by the agents; null if no agent reports its cost',
  ),
});
export type BudgetUse = v.InferOutput<typeof BudgetUse>;

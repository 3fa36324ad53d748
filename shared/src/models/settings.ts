import * as v from 'valibot';
import { described } from '../describe.ts';

const count = (max: number) => v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(max));

/** Settings that the owner can change. */
export const Settings = v.object({
  defaultAgentId: described(v.string(), 'Agent for new sessions whose creator specifies no agent and has none'),
  branchNames: described(
    v.picklist(['agent', 'slug']),
    'How branches are named; agent: by the agent, if it can answer without a terminal (costs tokens); slug: from the words of the prompt',
  ),
  delegationDepth: described(count(20), 'Maximum levels of delegated sessions below a root session'),
  delegationChildren: described(count(1_000), 'Maximum children of one session with unfinished tasks'),
  liveSessions: described(count(10_000), 'Maximum sessions with a live worker'),
  reminderSeconds: described(count(86_400), 'Seconds after which an idle agent that has not reported is reminded'),
  idlePauseMinutes: described(
    v.pipe(v.number(), v.minValue(0), v.maxValue(10_000)),
    'Minutes (may be fractional) after which a delegated session that finished its work is paused; 0 disables this',
  ),
});
export type Settings = v.InferOutput<typeof Settings>;

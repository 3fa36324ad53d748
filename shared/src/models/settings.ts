import * as v from 'valibot';
import { described } from '../describe.ts';

const count = (max: number) => v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(max));

/** Settings that the owner can change. */
export const Settings = v.object({
  defaultAgentId: described(v.string(), 'Agent of a session whose creator names none and has none'),
  branchNames: described(
    v.picklist(['agent', 'slug']),
    'Who names the branch of new work: the agent, where it can be args without a terminal (costs tokens), or the words of the prompt (slug)',
  ),
  delegationDepth: described(count(20), 'Levels of delegated sessions below a root session'),
  delegationChildren: described(count(1_000), 'Children of one session whose task has not ended'),
  liveSessions: described(count(10_000), 'Sessions with a live worker in all'),
  reminderSeconds: described(count(86_400), 'Seconds after which an idle agent that owes a report is reminded of it'),
  idlePauseMinutes: described(
    v.pipe(v.number(), v.minValue(0), v.maxValue(10_000)),
    'Minutes, or a fraction, after which a delegated session that finished its work is paused; 0 is never',
  ),
});
export type Settings = v.InferOutput<typeof Settings>;

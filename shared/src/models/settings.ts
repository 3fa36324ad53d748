import * as v from 'valibot';

const count = (max: number) => v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(max));

/** What the owner can tune. */
export const Settings = v.object({
  /** Agent of a session whose creator names none and has none. */
  defaultAgentId: v.string(),
  /** Who names the branch of new work: the agent where it can be asked without a terminal, or the prompt's words. */
  branchNames: v.picklist(['agent', 'slug']),
  /** Delegations below a root session. */
  delegationDepth: count(20),
  /** Children of one session whose task has not ended. */
  delegationChildren: count(1_000),
  /** Live sessions in all. */
  liveSessions: count(10_000),
  /** Seconds after which an idle delegated agent is reminded to report. */
  reminderSeconds: count(86_400),
  /** Minutes, or a part of one, after which a delegated session that ended its work is paused; 0 never. */
  idlePauseMinutes: v.pipe(v.number(), v.minValue(0), v.maxValue(10_000)),
});
export type Settings = v.InferOutput<typeof Settings>;

import * as v from 'valibot';
import { described, wholeNumber } from '../describe.ts';
import { ORCHESTRATION_RETENTION_DAYS_MAX } from '../limits/orchestrations.ts';

/** Settings that the owner can change. */
export const Settings = v.object({
  defaultAgentId: described(
    v.string(),
    'Agent for new sessions if the call specifies none and the caller is not an agent',
  ),
  branchNames: described(
    v.picklist(['agent', 'slug']),
    'How branches are named; agent: by the agent, if it can answer without a terminal (costs tokens); slug: from the words of the prompt',
  ),
  delegationDepth: wholeNumber('Maximum levels of delegated sessions below a root session', 0, 20),
  delegationChildren: wholeNumber('Maximum number of a session’s children that have unfinished tasks', 0, 1_000),
  liveSessions: wholeNumber('Maximum sessions with a live worker', 0, 10_000),
  reminderSeconds: wholeNumber('Seconds after which an idle agent that has not reported is reminded', 0, 86_400),
  idlePauseMinutes: described(
    v.pipe(v.number(), v.minValue(0), v.maxValue(10_000)),
    'Minutes (may be fractional) after which a delegated session that finished its work is paused; 0 disables this',
  ),
  orchestrationRetentionDays: wholeNumber(
    'Days after which ended orchestrations are removed; 0 disables this',
    0,
    ORCHESTRATION_RETENTION_DAYS_MAX,
  ),
  archiveOrchestrations: described(
    v.picklist(['yes', 'no']),
    'Whether the agents, events and output of an orchestration are archived before it is removed',
  ),
});
export type Settings = v.InferOutput<typeof Settings>;

import * as v from 'valibot';
import { described } from '../describe.ts';

/** The parts of an agent check, in display order. */
export const AgentCheckName = v.picklist(['program', 'version', 'login', 'start', 'tools']);
export type AgentCheckName = v.InferOutput<typeof AgentCheckName>;

/** `skipped`: this part of the check does not apply to the agent, or an earlier part failed. */
export const AgentCheckResult = v.picklist(['yes', 'no', 'unknown', 'skipped']);
export type AgentCheckResult = v.InferOutput<typeof AgentCheckResult>;

export const AgentCheckFinding = v.object({
  name: described(AgentCheckName, 'Part of the check'),
  result: described(
    AgentCheckResult,
    'Whether this part works: yes, no or unknown; skipped: the part does not apply to the agent, or an earlier part failed',
  ),
  detail: described(v.string(), 'What this part of the check found, and how to fix it if it does not work'),
});
export type AgentCheckFinding = v.InferOutput<typeof AgentCheckFinding>;

/** Result of an agent check, which starts the agent briefly: which features work on this machine. */
export const AgentCheck = v.object({
  agentId: described(v.string(), 'Id of the agent that was checked'),
  complete: described(
    v.boolean(),
    'False while the check is running; repeat the call with the same input to wait for the remaining parts',
  ),
  ok: described(
    v.boolean(),
    'Whether the executable was found, the agent started, and no other part of the check failed; a failed login counts only if a prompt was sent; false while the check is running',
  ),
  version: described(v.nullable(v.string()), 'Version reported by the executable, or null'),
  checks: described(v.array(AgentCheckFinding), 'Result for each part of the check'),
});
export type AgentCheck = v.InferOutput<typeof AgentCheck>;

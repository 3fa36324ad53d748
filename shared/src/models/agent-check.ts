import * as v from 'valibot';
import { described } from '../describe.ts';

/** The parts of an agent check, in display order. */
export const AgentCheckName = v.picklist(['program', 'version', 'login', 'start', 'tools']);
export type AgentCheckName = v.InferOutput<typeof AgentCheckName>;

/** `skipped`: does not apply to this agent, or was not requested. */
export const AgentCheckResult = v.picklist(['yes', 'no', 'unknown', 'skipped']);
export type AgentCheckResult = v.InferOutput<typeof AgentCheckResult>;

export const AgentCheckFinding = v.object({
  name: described(AgentCheckName, 'What was checked'),
  result: described(AgentCheckResult, 'Whether it works; skipped: does not apply, or was not requested'),
  detail: described(v.string(), 'What was found, and how to fix what is missing'),
});
export type AgentCheckFinding = v.InferOutput<typeof AgentCheckFinding>;

/** Which features of an agent work on this machine, determined by starting it briefly. */
export const AgentCheck = v.object({
  agentId: described(v.string(), 'Agent that was checked'),
  complete: described(
    v.boolean(),
    'False while the check is running: a call with the same input waits for the rest and starts nothing',
  ),
  ok: described(v.boolean(), 'Whether the program was found, the agent starts, and nothing else failed'),
  version: described(v.nullable(v.string()), 'Version that the program reports, or null'),
  checks: described(v.array(AgentCheckFinding), 'Results, one for each check'),
});
export type AgentCheck = v.InferOutput<typeof AgentCheck>;

import * as v from 'valibot';

/** What a check of an agent looks at, in the order in which it is told. */
export const AgentCheckName = v.picklist([
  'program',
  'version',
  'login',
  'start',
  'screen',
  'hooks',
  'tools',
  'resume',
  'fork',
  'turn',
  'oneShot',
]);
export type AgentCheckName = v.InferOutput<typeof AgentCheckName>;

/** `skipped`: it does not apply to this agent, or was not asked for. */
export const AgentCheckResult = v.picklist(['yes', 'no', 'unknown', 'skipped']);
export type AgentCheckResult = v.InferOutput<typeof AgentCheckResult>;

export const AgentCheckFinding = v.object({
  name: AgentCheckName,
  result: AgentCheckResult,
  /** What was seen, and what to do where something is missing. */
  detail: v.string(),
});
export type AgentCheckFinding = v.InferOutput<typeof AgentCheckFinding>;

/** What works of an agent here, as it was seen by starting it for a moment. */
export const AgentCheck = v.object({
  agentId: v.string(),
  /** False while it goes on: a call with the same input waits for the rest and starts nothing. */
  complete: v.boolean(),
  /** Program, start and screen are as they should be, and nothing else that it has failed. */
  ok: v.boolean(),
  version: v.nullable(v.string()),
  checks: v.array(AgentCheckFinding),
});
export type AgentCheck = v.InferOutput<typeof AgentCheck>;

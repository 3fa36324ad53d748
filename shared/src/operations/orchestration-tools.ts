import * as v from 'valibot';
import { cutSummary, cutText } from '../cut.ts';
import { described } from '../describe.ts';
import { LISTED_TEXT_CHARS } from '../limits/orchestrations.ts';
import {
  Orchestration,
  OrchestrationAgent,
  OrchestrationIntegration,
  OrchestrationStatus,
} from '../models/orchestration.ts';
import { OrchestrationPlan } from '../models/orchestration-definition.ts';
import { type Page, pageOf } from '../page.ts';

/** This file defines short forms of orchestrations for agents, to save space in their context windows. */

const WHOLE = 'use orchestrations_get with full: true for the full text';

const BriefOrchestration = v.pick(Orchestration, [
  'id',
  'objective',
  'strategy',
  'state',
  'agentCount',
  'completedAgents',
  'failedAgents',
  'progress',
  'createdAt',
]);
type BriefOrchestration = v.InferOutput<typeof BriefOrchestration>;

const brief = (text: string) => cutText(text, LISTED_TEXT_CHARS, WHOLE);

export const OrchestrationRows = pageOf(BriefOrchestration);

export function orchestrationRows(page: Page<Orchestration>): Page<BriefOrchestration> {
  const data = page.data.map((row) => ({ ...v.parse(BriefOrchestration, row), objective: brief(row.objective) }));
  return { ...page, data };
}

const BriefAgent = v.pick(OrchestrationAgent, [
  'agentId',
  'role',
  'state',
  'reason',
  'sessionId',
  'branch',
  'progress',
  'status',
  'summary',
  'errorMessage',
]);

/** Result of `orchestrations_get`. With `full: true`, it has all fields of the orchestration. */
export const OrchestrationToolResult = v.looseObject({
  ...BriefOrchestration.entries,
  errorMessage: OrchestrationStatus.entries.errorMessage,
  integration: v.nullable(v.looseObject(v.pick(OrchestrationIntegration, ['into', 'state']).entries)),
  agents: described(v.array(v.looseObject(BriefAgent.entries)), 'Agents in creation order'),
});

/** Shortens an orchestration for agents, unless `full` is set. */
export function orchestrationResult(
  status: OrchestrationStatus,
  { full = false }: { full?: boolean },
): v.InferOutput<typeof OrchestrationToolResult> {
  if (full) return status;
  const { errorMessage, integration } = status;
  return {
    ...v.parse(BriefOrchestration, status),
    objective: brief(status.objective),
    errorMessage,
    integration,
    agents: status.agents.map((agent) => ({
      ...v.parse(BriefAgent, agent),
      summary: cutSummary(agent.summary, LISTED_TEXT_CHARS).summary,
    })),
  };
}

const ChangedAgent = v.pick(OrchestrationAgent, ['agentId', 'state', 'reason', 'sessionId']);

/** Result of tools that create or change an orchestration: its new state, and the new states of its agents. */
export const ChangedOrchestration = v.object({
  ...v.pick(Orchestration, ['id', 'state', 'agentCount', 'completedAgents', 'failedAgents', 'errorMessage']).entries,
  agents: described(v.array(ChangedAgent), 'Agents in creation order'),
});
type ChangedOrchestration = v.InferOutput<typeof ChangedOrchestration>;

export function changedOrchestration(status: OrchestrationStatus): ChangedOrchestration {
  return v.parse(ChangedOrchestration, status);
}

/** Result of `orchestrations_run`: the plan of a dry run, or the orchestration that was created. */
export const RunToolResult = v.object({
  plan: v.nullable(v.looseObject(v.pick(OrchestrationPlan, ['stages', 'worktrees', 'limits', 'contentHash']).entries)),
  orchestration: v.nullable(ChangedOrchestration),
});

export function runResult({
  plan,
  orchestration,
}: {
  plan: OrchestrationPlan | null;
  orchestration: OrchestrationStatus | null;
}): v.InferOutput<typeof RunToolResult> {
  return { plan, orchestration: orchestration && changedOrchestration(orchestration) };
}

export const ReportedAgent = v.pick(OrchestrationAgent, ['agentId', 'state', 'progress', 'status', 'artifacts']);

export function reportedAgent(agent: OrchestrationAgent): v.InferOutput<typeof ReportedAgent> {
  return v.parse(ReportedAgent, agent);
}

import * as v from 'valibot';
import { cutSummary, cutText } from '../cut.ts';
import { described } from '../describe.ts';
import { LISTED_TEXT_CHARS } from '../limits/orchestrations.ts';
import { Orchestration, OrchestrationAgent, OrchestrationStatus } from '../models/orchestration.ts';
import { type Page, pageOf } from '../page.ts';

/** Forms of orchestrations for agents, whose context windows are small. */

const WHOLE = 'orchestrations_get with full: true returns it';

const BriefOrchestration = v.pick(Orchestration, [
  'id',
  'objective',
  'strategy',
  'state',
  'agentCount',
  'completedAgents',
  'failedAgents',
  'createdAt',
]);
type BriefOrchestration = v.InferOutput<typeof BriefOrchestration>;

const brief = (text: string) => cutText(text, LISTED_TEXT_CHARS, WHOLE);

/** Result of `orchestrations_list`. */
export const OrchestrationRows = pageOf(BriefOrchestration);

/** Shortens the rows of a list. */
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

/** Result of `orchestrations_get`: short unless `full` is set. */
export const OrchestrationToolResult = v.object({
  ...v.partial(OrchestrationStatus).entries,
  ...BriefOrchestration.entries,
  progress: OrchestrationStatus.entries.progress,
  errorMessage: OrchestrationStatus.entries.errorMessage,
  integration: OrchestrationStatus.entries.integration,
  agents: described(
    v.array(v.object({ ...v.partial(OrchestrationAgent).entries, ...BriefAgent.entries })),
    'Agents in creation order',
  ),
});

/** Shortens an orchestration for agents, unless they ask for all of it. */
export function orchestrationResult(
  status: OrchestrationStatus,
  { full = false }: { full?: boolean },
): v.InferOutput<typeof OrchestrationToolResult> {
  if (full) return status;
  const { progress, errorMessage, integration } = status;
  return {
    ...v.parse(BriefOrchestration, status),
    objective: brief(status.objective),
    progress,
    errorMessage,
    integration,
    agents: status.agents.map((agent) => ({
      ...v.parse(BriefAgent, agent),
      summary: cutSummary(agent.summary, LISTED_TEXT_CHARS).summary,
    })),
  };
}

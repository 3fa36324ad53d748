import type { OrchestrationAgent, OrchestrationStatus } from '@agent-console/shared/models/orchestration';
import { isFinal } from '@agent-console/shared/models/orchestration';
import { describeReason } from './states.ts';

type Run = Pick<OrchestrationStatus, 'state' | 'strategy' | 'agents'>;

/** Maximum agents named in a text. Further agents are only counted. */
const NAMED_MAX = 2;

/** Returns the names of the agents that a pending agent still waits for. */
export function blockersOf(agent: OrchestrationAgent, { strategy, agents }: Run): readonly string[] {
  if (agent.state !== 'pending') return [];
  const byId = new Map(agents.map((each) => [each.agentId, each]));
  const dependencies = agent.dependencies.flatMap((id) => byId.get(id) ?? []);
  const earlier =
    strategy === 'sequential'
      ? agents.slice(0, agents.indexOf(agent))
      : strategy === 'pipeline'
        ? agents.filter(({ stage }) => stage < agent.stage)
        : [];
  const open = [
    ...dependencies.filter((each) => !isSatisfied(each)),
    ...earlier.filter(({ state }) => !isFinal(state)),
  ];
  return [...new Set(open.map(({ agentId }) => agentId))];
}

function isSatisfied({ state, allowFailure }: OrchestrationAgent): boolean {
  return state === 'completed' || (allowFailure && (state === 'failed' || state === 'cancelled'));
}

/**
 * Returns a text that explains an agent's state: what the agent waits for, what it does, its summary, or why it ended.
 * Empty if there is nothing to explain.
 */
export function describeAgent(agent: OrchestrationAgent, run: Run): string {
  const { state, reason, status, summary, errorMessage } = agent;
  if (state === 'pending') {
    const blockers = blockersOf(agent, run);
    if (blockers.length > 0) return `Waits for ${nameSome(blockers)}`;
    return reason === null ? '' : describeReason(reason);
  }
  if (state === 'running') return status ?? '';
  if (state === 'completed') return summary ?? '';
  return errorMessage ?? (reason === null ? '' : describeReason(reason));
}

/** Joins names: `a`, `a and b`, `a, b and 3 more`. */
function nameSome(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  if (more > 0) return `${names.slice(0, NAMED_MAX).join(', ')} and ${more} more`;
  return names.join(' and ');
}

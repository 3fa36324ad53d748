import { ConsoleError, notFound } from '@agent-console/shared/errors';
import type {
  OrchestrationAgentState,
  OrchestrationIntegration,
  OrchestrationState,
} from '@agent-console/shared/models/orchestration';
import { failedToIntegrate } from '@agent-console/shared/orchestration-integration';
import { hasFailed, type ScheduledAgent, type ScheduledOrchestration, schedule } from './schedule.ts';

/**
 * States in which an agent can be retried. A skipped agent cannot be retried itself. It becomes `pending` when a caller
 * retries the agent whose failure or cancellation caused the skip.
 */
const RETRYABLE: readonly OrchestrationAgentState[] = ['failed', 'cancelled', 'interrupted'];

/**
 * Returns the names of the agents that become `pending` when a caller retries an agent:
 * - the agent itself
 * - all skipped agents that would not be skipped again
 * - if `fail_fast` ended the run because the agent failed: all agents that it cancelled, and all failed agents without
 *   `allowFailure`, because any remaining failure would end the run again
 * @throws NOT_FOUND for an unknown agent. CONFLICT if the agent's state does not allow a retry, or if the agent would
 * be skipped again at once.
 */
export function agentsToRetry(
  orchestration: ScheduledOrchestration,
  agents: readonly ScheduledAgent[],
  agentId: string,
): string[] {
  const agent = agents.find((each) => each.agentId === agentId);
  if (agent === undefined) throw notFound('Agent', agentId);
  if (!RETRYABLE.includes(agent.state)) {
    throw new ConsoleError(
      'CONFLICT',
      `Agent ${agentId} is ${agent.state}. Only an agent that is ${RETRYABLE.join(' or ')} can be retried.`,
      { agentId, state: agent.state },
    );
  }
  const endsRun = orchestration.onFailure === 'fail_fast' && hasFailed(agent);
  const mayRunAgain = (each: ScheduledAgent) =>
    each === agent ||
    each.state === 'skipped' ||
    (endsRun && (hasFailed(each) || (each.state === 'cancelled' && each.reason === 'fail_fast')));
  const afterwards = agents.map((each) => (mayRunAgain(each) ? { ...each, state: 'pending' as const } : each));
  const { skip } = schedule({ ...orchestration, state: 'running' }, afterwards);
  const skipped = new Map(skip.map((each) => [each.agentId, each.reason]));
  const reason = skipped.get(agentId);
  if (reason !== undefined) {
    const failed = blockersOf(agent, orchestration, afterwards).map((each) => each.agentId);
    throw new ConsoleError(
      'CONFLICT',
      `Agent ${agentId} cannot run before these agents are retried: ${failed.join(', ')}.`,
      { agentId, failed },
    );
  }
  return agents.filter((each) => mayRunAgain(each) && !skipped.has(each.agentId)).map((each) => each.agentId);
}

/**
 * Returns the failed and cancelled agents because of which an agent can never run, in an order in which they can be
 * retried. If `fail_fast` ended the run, these are all failed agents, whose retry includes those that `fail_fast`
 * cancelled, and then the other cancelled agents.
 */
function blockersOf(
  agent: ScheduledAgent,
  orchestration: ScheduledOrchestration,
  agents: readonly ScheduledAgent[],
): ScheduledAgent[] {
  const blocking = failedUpstream(agent, orchestration, agents);
  const failed = orchestration.onFailure === 'fail_fast' ? agents.filter(hasFailed) : [];
  if (failed.length === 0) return blocking;
  return [...failed, ...blocking.filter((each) => each.state === 'cancelled' && each.reason !== 'fail_fast')];
}

/** Returns the failed and cancelled agents before which an agent cannot run, in creation order. */
function failedUpstream(
  agent: ScheduledAgent,
  { strategy }: ScheduledOrchestration,
  agents: readonly ScheduledAgent[],
): ScheduledAgent[] {
  const byName = new Map(agents.map((each) => [each.agentId, each]));
  const upstream = new Set<ScheduledAgent>();
  // The loop also visits the agents that it adds to the set.
  const visited = new Set([agent]);
  for (const { dependencies, stage } of visited) {
    const earlier = strategy === 'pipeline' ? agents.filter((each) => each.stage < stage) : [];
    for (const each of [...dependencies.flatMap((name) => byName.get(name) ?? []), ...earlier]) {
      if (each.state === 'pending') visited.add(each);
      else upstream.add(each);
    }
  }
  return agents.filter(
    (each) => upstream.has(each) && !each.allowFailure && (each.state === 'failed' || each.state === 'cancelled'),
  );
}

/** Allows a retry only if the orchestration failed because its branches could not be integrated. @throws CONFLICT */
export function refuseRetryOfIntegration(row: {
  state: OrchestrationState;
  integration: OrchestrationIntegration | null;
}): void {
  if (failedToIntegrate(row)) return;
  const { state, integration } = row;
  throw new ConsoleError(
    'CONFLICT',
    `This orchestration is ${state}. Its integration can be retried only if the orchestration failed because its branches could not be integrated.`,
    { state, integrationState: integration?.state ?? null },
  );
}

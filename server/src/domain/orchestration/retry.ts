import { ConsoleError, notFound } from '@agent-console/shared/errors';
import type {
  OrchestrationAgentState,
  OrchestrationIntegration,
  OrchestrationState,
} from '@agent-console/shared/models/orchestration';
import { failedToIntegrate } from '@agent-console/shared/orchestration-integration';
import { hasFailed, type ScheduledAgent, type ScheduledOrchestration, schedule } from './schedule.ts';

/** States in which an agent can be retried. A skipped agent runs after the agents that caused the skip are retried. */
const RETRYABLE: readonly OrchestrationAgentState[] = ['failed', 'cancelled', 'interrupted'];

/**
 * Returns the names of the agents that become `pending` when a caller retries an agent: the agent, and all skipped
 * agents that no other agent blocks. If the agent's failure ended the run by `fail_fast`, also the agents cancelled by
 * `fail_fast` and all other failed agents, because any remaining failure would end the run again.
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
  const skipped = new Set(skip.map((each) => each.agentId));
  if (skipped.has(agentId)) {
    const failed = agents.filter(hasFailed).map((each) => each.agentId);
    throw new ConsoleError(
      'CONFLICT',
      `Agent ${agentId} cannot run before these agents are retried: ${failed.join(', ')}.`,
      { agentId, failed },
    );
  }
  return agents.filter((each) => mayRunAgain(each) && !skipped.has(each.agentId)).map((each) => each.agentId);
}

/** @throws CONFLICT unless the orchestration failed because the branches of its agents could not be integrated. */
export function refuseRetryOfIntegration(row: {
  state: OrchestrationState;
  integration: OrchestrationIntegration | null;
}): void {
  if (failedToIntegrate(row)) return;
  const { state, integration } = row;
  throw new ConsoleError(
    'CONFLICT',
    `This orchestration is ${state}. The integration can be retried only if the orchestration has failed because of it.`,
    { state, integrationState: integration?.state ?? null },
  );
}

import type {
  OrchestrationAgentState,
  OrchestrationEvent,
  OrchestrationEventType,
  OrchestrationState,
  OrchestrationStatus,
} from '@agent-console/shared/models/orchestration';

export const STATES: Partial<Record<OrchestrationEventType, OrchestrationState>> = {
  session_created: 'created',
  session_started: 'running',
  session_paused: 'paused',
  session_resumed: 'running',
  session_cancelled: 'cancelled',
  session_completed: 'completed',
  session_failed: 'failed',
};

export const AGENT_STATES: Partial<Record<OrchestrationEventType, OrchestrationAgentState>> = {
  agent_added: 'pending',
  agent_started: 'running',
  agent_completed: 'completed',
  agent_failed: 'failed',
  agent_skipped: 'skipped',
  agent_paused: 'paused',
  agent_resumed: 'running',
  agent_interrupted: 'interrupted',
  agent_cancelled: 'cancelled',
  agent_retried: 'pending',
};

interface ReplayedAgent {
  state: OrchestrationAgentState;
  reason: unknown;
  exitCode: unknown;
}

interface Replayed {
  state: OrchestrationState | null;
  agentCount: number;
  completedAgents: number;
  failedAgents: number;
  /** The agents that are not pending any more, by name. */
  agents: Record<string, ReplayedAgent>;
}

/** Returns the states, reasons and counts that result from the events of an orchestration, given oldest first. */
export function replayed(events: readonly OrchestrationEvent[]): Replayed {
  let state: OrchestrationState | null = null;
  let agentCount = 0;
  const agents = new Map<string, ReplayedAgent>();
  for (const { eventType, agentId, data } of events) {
    state = STATES[eventType] ?? state;
    if (eventType === 'session_created') agentCount = Number(data.agent_count);
    if (eventType === 'agent_added') agentCount += 1;
    const next = AGENT_STATES[eventType];
    if (next === undefined || agentId === null) continue;
    agents.set(agentId, { state: next, reason: data.reason ?? null, exitCode: data.exitCode ?? null });
  }
  return withCounts(state, agentCount, [...agents]);
}

/** Returns the stored states, reasons and counts of an orchestration, in the form that `replayed` returns. */
export function storedStates({ agents, ...orchestration }: OrchestrationStatus): Replayed {
  const { state, agentCount, completedAgents, failedAgents } = orchestration;
  const counted = withCounts(
    state,
    agentCount,
    agents.map(({ agentId, state, reason, exitCode }) => [agentId, { state, reason, exitCode }]),
  );
  return { ...counted, completedAgents, failedAgents };
}

/**
 * Returns the states together with counts of completed and failed agents. Leaves out pending agents, because the events
 * do not mention an agent of the original plan until it is started.
 */
function withCounts(
  state: OrchestrationState | null,
  agentCount: number,
  agents: readonly (readonly [string, ReplayedAgent])[],
): Replayed {
  const count = (wanted: OrchestrationAgentState) => agents.filter(([, agent]) => agent.state === wanted).length;
  return {
    state,
    agentCount,
    completedAgents: count('completed'),
    failedAgents: count('failed'),
    agents: Object.fromEntries(agents.filter(([, agent]) => agent.state !== 'pending')),
  };
}

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

interface Replayed {
  state: OrchestrationState | null;
  /** Agents that are not pending, by name. */
  agents: Record<string, OrchestrationAgentState>;
}

/** Returns the states that result from the events of an orchestration, given oldest first. */
export function replayed(events: readonly OrchestrationEvent[]): Replayed {
  let state: OrchestrationState | null = null;
  const agents = new Map<string, OrchestrationAgentState>();
  for (const { eventType, agentId } of events) {
    state = STATES[eventType] ?? state;
    const next = AGENT_STATES[eventType];
    if (next !== undefined && agentId !== null) agents.set(agentId, next);
  }
  return withoutPending(state, [...agents]);
}

/** Returns the stored states in the same form as `replayed`. */
export function storedStates({ state, agents }: OrchestrationStatus): Replayed {
  return withoutPending(
    state,
    agents.map((agent) => [agent.agentId, agent.state]),
  );
}

/** Leaves out pending agents, since the initial agents have no event until they are started. */
function withoutPending(
  state: OrchestrationState | null,
  agents: readonly (readonly [string, OrchestrationAgentState])[],
): Replayed {
  return { state, agents: Object.fromEntries(agents.filter(([, each]) => each !== 'pending')) };
}

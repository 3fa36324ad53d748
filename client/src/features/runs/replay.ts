import type {
  OrchestrationAgent,
  OrchestrationAgentState,
  OrchestrationEvent,
  OrchestrationEventType,
  OrchestrationState,
  OrchestrationStatus,
} from '@agent-console/shared/models/orchestration';
import { isFinal } from '@agent-console/shared/models/orchestration';

const RUN_STATES: Partial<Record<OrchestrationEventType, OrchestrationState>> = {
  session_started: 'running',
  session_paused: 'paused',
  session_resumed: 'running',
  session_cancelled: 'cancelled',
  session_completed: 'completed',
  session_failed: 'failed',
};

const AGENT_STATES: Partial<Record<OrchestrationEventType, OrchestrationAgentState>> = {
  agent_started: 'running',
  agent_resumed: 'running',
  agent_completed: 'completed',
  agent_failed: 'failed',
  agent_skipped: 'skipped',
  agent_paused: 'paused',
  agent_interrupted: 'interrupted',
  agent_cancelled: 'cancelled',
  agent_retried: 'pending',
};

/** Returns the state of the run or agent after an event; undefined if the event changes no state. */
export function stateAfter(type: OrchestrationEventType): OrchestrationState | OrchestrationAgentState | undefined {
  return RUN_STATES[type] ?? AGENT_STATES[type];
}

/**
 * Returns a run as it was after its first `count` events. Only what events record is replayed: states, times, attempts,
 * sessions, reasons, errors and progress.
 */
export function replay(
  run: OrchestrationStatus,
  events: readonly OrchestrationEvent[],
  count: number,
): OrchestrationStatus {
  const addedLater = new Set<string>();
  for (const { eventType, agentId } of events)
    if (eventType === 'agent_added' && agentId !== null) addedLater.add(agentId);
  const agents = new Map(run.agents.map((agent) => [agent.agentId, beginning(agent)]));
  let state: OrchestrationState = 'created';
  let startedAt: string | null = null;
  let completedAt: string | null = null;
  for (const event of events.slice(0, count)) {
    const { eventType, agentId, timestamp } = event;
    const next = RUN_STATES[eventType];
    if (next !== undefined) {
      state = next;
      if (eventType === 'session_started') startedAt = timestamp;
      completedAt = isFinal(next) ? timestamp : null;
    }
    const agent = agents.get(agentId ?? '');
    if (agent === undefined) continue;
    addedLater.delete(agent.agentId);
    agents.set(agent.agentId, applied(agent, event));
  }
  const shown = [...agents.values()].filter(({ agentId }) => !addedLater.has(agentId));
  const counted = (wanted: OrchestrationAgentState) => shown.filter((agent) => agent.state === wanted).length;
  return {
    ...run,
    state,
    startedAt,
    completedAt,
    agents: shown,
    agentCount: shown.length,
    completedAgents: counted('completed'),
    failedAgents: counted('failed'),
  };
}

function beginning(agent: OrchestrationAgent): OrchestrationAgent {
  return {
    ...agent,
    state: 'pending',
    reason: null,
    attempt: 0,
    sessionId: null,
    taskId: null,
    progress: null,
    status: null,
    summary: null,
    exitCode: null,
    errorMessage: null,
    startedAt: null,
    completedAt: null,
  };
}

function applied(agent: OrchestrationAgent, { eventType, timestamp, data }: OrchestrationEvent): OrchestrationAgent {
  if (eventType === 'progress') {
    return {
      ...agent,
      progress: typeof data.progress === 'number' ? data.progress : agent.progress,
      status: typeof data.status === 'string' ? data.status : agent.status,
    };
  }
  const state = AGENT_STATES[eventType] ?? agent.state;
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : null);
  return {
    ...agent,
    state,
    reason: text('reason'),
    attempt: typeof data.attempt === 'number' ? data.attempt : agent.attempt,
    sessionId: text('sessionId') ?? agent.sessionId,
    taskId: text('taskId') ?? agent.taskId,
    exitCode: typeof data.exitCode === 'number' ? data.exitCode : null,
    errorMessage: text('errorMessage'),
    startedAt: agent.startedAt ?? (state === 'running' ? timestamp : null),
    completedAt: isFinal(state) ? (agent.completedAt ?? timestamp) : null,
  };
}

import type { OrchestrationAgent, OrchestrationStatus } from '@agent-console/shared/models/orchestration';

export const START = Date.parse('2030-01-01T00:00:00.000Z');

/** Returns the time `seconds` after the start of the run. */
export function at(seconds: number): string {
  return new Date(START + seconds * 1_000).toISOString();
}

export function runAgent(agentId: string, part: Partial<OrchestrationAgent> = {}): OrchestrationAgent {
  return {
    agentId,
    role: agentId,
    suffix: null,
    task: 'Do it',
    state: 'pending',
    reason: null,
    dependencies: [],
    stage: 0,
    agenticTool: null,
    permissionMode: null,
    allowFailure: false,
    maxAttempts: 1,
    timeoutSeconds: 3_600,
    attempt: 0,
    sessionId: null,
    taskId: null,
    worktreeId: null,
    branch: null,
    progress: null,
    usage: null,
    status: null,
    summary: null,
    artifacts: [],
    exitCode: null,
    errorMessage: null,
    createdAt: at(0),
    startedAt: null,
    completedAt: null,
    ...part,
  };
}

/** Returns an agent that ran from second `from` to second `to`. */
export function ended(agentId: string, from: number, to: number, part: Partial<OrchestrationAgent> = {}) {
  return runAgent(agentId, { state: 'completed', startedAt: at(from), completedAt: at(to), ...part });
}

export function run(agents: readonly OrchestrationAgent[], part: Partial<OrchestrationStatus> = {}) {
  const status: Partial<OrchestrationStatus> = {
    id: 'run',
    strategy: 'adaptive',
    state: 'running',
    agents: [...agents],
    agentCount: agents.length,
    ...part,
  };
  return status as OrchestrationStatus;
}

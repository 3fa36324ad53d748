import type { OrchestrationStrategy } from '@agent-console/shared/models/orchestration';
import { AgentSpec } from '@agent-console/shared/operations/orchestrations';
import * as v from 'valibot';
import type { ScheduledAgent, ScheduledOrchestration } from '../../../src/domain/orchestration/schedule.ts';

/** Returns the specification of an agent as a caller passes it. */
export function spec(fields: Partial<AgentSpec> = {}): AgentSpec {
  return v.parse(AgentSpec, { role: 'worker', task: 'Do it', ...fields });
}

/** Returns a running orchestration without limits. */
export function orchestration(
  strategy: OrchestrationStrategy,
  fields: Partial<ScheduledOrchestration> = {},
): ScheduledOrchestration {
  return { state: 'running', strategy, onFailure: 'continue', maxConcurrent: null, roleLimits: {}, ...fields };
}

/**
 * Returns agents from lines such as `d pending <- b c` (name, state and dependencies). `failed!` means a failure that
 * the plan allows, and `@2` after a state is the stage of the agent. `fields` has further fields by agent name.
 */
export function agents(lines: string, fields: Record<string, Partial<ScheduledAgent>> = {}): ScheduledAgent[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [left = '', right = ''] = line.split('<-');
      const [agentId = '', state = '', stage = '@0'] = left.trim().split(/\s+/);
      return {
        agentId,
        role: 'worker',
        state: state.replace('!', '') as ScheduledAgent['state'],
        dependencies: right.trim().split(/\s+/).filter(Boolean),
        stage: Number(stage.slice(1)),
        allowFailure: state.endsWith('!'),
        attempt: 1,
        maxAttempts: 1,
        reason: null,
        ...fields[agentId],
      };
    });
}

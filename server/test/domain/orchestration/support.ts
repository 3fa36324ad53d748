import type { OrchestrationStrategy } from '@agent-console/shared/models/orchestration';
import { AgentSpec } from '@agent-console/shared/operations/orchestrations';
import * as v from 'valibot';
import type { ScheduledAgent, ScheduledOrchestration } from '../../../src/domain/orchestration/schedule.ts';

/** An agent as given by a caller. */
export function spec(fields: Partial<AgentSpec> = {}): AgentSpec {
  return v.parse(AgentSpec, { role: 'worker', task: 'Do it', ...fields });
}

/** A running orchestration without limits. */
export function orchestration(
  strategy: OrchestrationStrategy,
  fields: Partial<ScheduledOrchestration> = {},
): ScheduledOrchestration {
  return { state: 'running', strategy, onFailure: 'continue', maxConcurrent: null, roleLimits: {}, ...fields };
}

/**
 * Agents from lines such as `d pending <- b c`, with further fields by name. The state `failed!` is a failure that is
 * allowed, and `@2` a stage.
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

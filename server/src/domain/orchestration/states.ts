import { ConsoleError } from '@agent-console/shared/errors';
import type { OrchestrationAgentState, OrchestrationState } from '@agent-console/shared/models/orchestration';

/**
 * Commands that change the state of an orchestration. Callers give all commands except `complete` and `fail`, which the
 * console gives when the orchestration ends.
 */
export type OrchestrationCommand = 'start' | 'pause' | 'resume' | 'cancel' | 'complete' | 'fail';

export { FINAL_AGENT_STATES, FINAL_STATES } from '@agent-console/shared/models/orchestration';

interface CommandRule {
  from: readonly OrchestrationState[];
  to: OrchestrationState;
  /** The command as it appears in the error message: "It can be <participle> only while it is …". */
  participle: string;
}

/**
 * `pause` is also allowed in state `paused`, because a second `pause` may interrupt agents that the first one left
 * running.
 */
const COMMANDS: Record<OrchestrationCommand, CommandRule> = {
  start: { from: ['created'], to: 'running', participle: 'started' },
  pause: { from: ['running', 'paused'], to: 'paused', participle: 'paused' },
  resume: { from: ['paused'], to: 'running', participle: 'resumed' },
  cancel: { from: ['created', 'running', 'paused'], to: 'cancelled', participle: 'cancelled' },
  complete: { from: ['running', 'paused'], to: 'completed', participle: 'completed' },
  fail: { from: ['running', 'paused'], to: 'failed', participle: 'failed' },
};

/**
 * Returns the state after a command.
 * @throws CONFLICT with the current state and the states in which the command is allowed.
 */
export function nextOrchestrationState(state: OrchestrationState, command: OrchestrationCommand): OrchestrationState {
  const { from, to, participle } = COMMANDS[command];
  if (from.includes(state)) return to;
  throw new ConsoleError(
    'CONFLICT',
    `This orchestration is ${state}. It can be ${participle} only while it is ${from.join(', ').replace(/, (?=\w+$)/, ' or ')}.`,
    { state, allowedStates: from },
  );
}

/**
 * Allowed state changes of an agent. A started agent that becomes `pending` gets another attempt: after a failure with
 * attempts left, after an interruption with the policy `rerun`, if its conversation cannot be continued, or after a
 * retry by a caller. `completed` never changes.
 */
const NEXT: Record<OrchestrationAgentState, readonly OrchestrationAgentState[]> = {
  pending: ['running', 'failed', 'cancelled', 'skipped'],
  running: ['pending', 'paused', 'interrupted', 'completed', 'failed', 'cancelled'],
  paused: ['pending', 'running', 'interrupted', 'completed', 'failed', 'cancelled'],
  interrupted: ['pending', 'running', 'completed', 'failed', 'cancelled'],
  completed: [],
  failed: ['pending'],
  cancelled: ['pending'],
  skipped: ['pending'],
};

export function mayAgentBecome(from: OrchestrationAgentState, to: OrchestrationAgentState): boolean {
  return NEXT[from].includes(to);
}

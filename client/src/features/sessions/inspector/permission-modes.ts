import type { Agent } from '@agent-console/shared/models/agent';
import { type ModeApplies, PermissionMode } from '@agent-console/shared/models/session';
import type { Option } from '../../../ui/Select.tsx';

/**
 * The permission modes to choose from for an agent, with what becomes of those it does not know; `plan` only where it
 * is one of its own, or what is chosen already. All of them while the agent's definition is not known.
 */
export function modeOptions(agent: Pick<Agent, 'modes'> | undefined, chosen: PermissionMode): Option[] {
  return PermissionMode.options.flatMap((mode) => {
    const effective = agent?.modes.find(({ requested }) => requested === mode)?.effective ?? mode;
    if (effective === mode) return [{ value: mode, label: mode }];
    return mode === 'plan' && chosen !== mode ? [] : [{ value: mode, label: mode, note: `here as ${effective}` }];
  });
}

/** When the agent that runs gets the mode, for people; null where it has it. */
export function describeApplies(applies: ModeApplies): string | null {
  switch (applies) {
    case 'now':
      return null;
    case 'nextTask':
      return 'Applies from the next task: the agent is started anew for it and goes on with its conversation.';
    case 'nextStart':
      return 'Applies from the next start: this agent cannot go on with its conversation in a new process.';
  }
}

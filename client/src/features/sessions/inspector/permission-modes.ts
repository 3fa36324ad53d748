import type { Agent } from '@agent-console/shared/models/agent';
import { type ModeApplies, PermissionMode } from '@agent-console/shared/models/session';
import type { Option } from '../../../ui/Select.tsx';

/**
 * Returns the permission modes to choose from; all modes while the agent's definition is unknown. The note of a mode
 * that the agent does not support names the mode used instead. `plan` is included only if the agent supports it or it
 * is selected.
 */
export function modeOptions(agent: Pick<Agent, 'modes'> | undefined, chosen: PermissionMode): Option[] {
  return PermissionMode.options.flatMap((mode) => {
    const effective = agent?.modes.find(({ requested }) => requested === mode)?.effective ?? mode;
    if (effective === mode) return [{ value: mode, label: mode }];
    return mode === 'plan' && chosen !== mode ? [] : [{ value: mode, label: mode, note: `runs as ${effective}` }];
  });
}

/** Texts that say when a running agent adopts the mode; null if the agent already has the mode. */
export const APPLIES: Readonly<Record<ModeApplies, string | null>> = {
  now: null,
  nextTask: 'Takes effect with the next task, for which the agent restarts and resumes its conversation.',
  nextStart: 'Takes effect at the next start, because this agent cannot resume its conversation in a new process.',
};

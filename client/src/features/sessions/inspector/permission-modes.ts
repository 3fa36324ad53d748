import type { Agent } from '@agent-console/shared/models/agent';
import { type ModeApplies, PermissionMode } from '@agent-console/shared/models/session';
import { PERMISSION_MODES } from '@agent-console/shared/permission-modes';
import type { Option } from '../../../ui/Select.tsx';

export const modeName = (mode: PermissionMode): string => PERMISSION_MODES[mode].name;

/** All permission modes, of any agent. */
export const ALL_MODES: readonly Option[] = PermissionMode.options.map((mode) => ({
  value: mode,
  label: modeName(mode),
}));

/**
 * Returns the permission modes to choose from. If the agent lacks a mode, a note names the mode that the agent uses
 * instead. `plan` is left out if the agent lacks this mode and it is not selected.
 */
export function modeOptions(agent: Pick<Agent, 'modes'> | undefined, chosen: PermissionMode): Option[] {
  return PermissionMode.options.flatMap((mode) => {
    const effective = agent?.modes.find(({ requested }) => requested === mode)?.effective ?? mode;
    if (effective === mode) return [{ value: mode, label: modeName(mode) }];
    return mode === 'plan' && chosen !== mode
      ? []
      : [{ value: mode, label: modeName(mode), note: `the agent uses ${modeName(effective)} instead` }];
  });
}

/** Messages that say when a permission mode takes effect; null for a mode that takes effect at once. */
export const APPLIES: Readonly<Record<ModeApplies, string | null>> = {
  now: null,
  nextTask: 'Takes effect with the next task, for which the agent restarts and resumes its conversation.',
  nextStart: "Takes effect at the agent's next start. A restart now would lose the agent's conversation.",
};

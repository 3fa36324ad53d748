import type { AgentOptions } from '@agent-console/shared/models/agent-option';
import type { SessionConfigOption, SessionModeState, SessionUpdate } from '@agentclientprotocol/sdk';

/** The agent's options in the response that opens a session. */
export interface ShownOptions {
  modes?: SessionModeState;
  configOptions: SessionConfigOption[];
}

/**
 * Returns the options of a session's agent. The mode is in `configOptions`, and also in `modes` for editors that do not
 * support options.
 */
export function shownOptions({ options }: AgentOptions): ShownOptions {
  const mode = options.find(({ category }) => category === 'mode');
  const configOptions = options.map(({ id, name, category, current, values }): SessionConfigOption => {
    const choices = values.map(({ id: value, ...shown }) => ({ value, ...shown }));
    return { type: 'select', id, name, category, currentValue: current, options: choices };
  });
  if (mode === undefined) return { configOptions };
  return { modes: { currentModeId: mode.current, availableModes: mode.values }, configOptions };
}

/**
 * Returns updates about the agent's options, commands and usage, if they changed since `before`. If `before` is null,
 * the editor has received none of them yet.
 */
export function optionUpdates(before: AgentOptions | null, now: AgentOptions): SessionUpdate[] {
  const updates: SessionUpdate[] = [];
  const known = before === null ? null : shownOptions(before);
  const { modes, configOptions } = shownOptions(now);
  if (modes !== undefined && modes.currentModeId !== known?.modes?.currentModeId) {
    updates.push({ sessionUpdate: 'current_mode_update', currentModeId: modes.currentModeId });
  }
  if (isDifferent(configOptions, known?.configOptions))
    updates.push({ sessionUpdate: 'config_option_update', configOptions });
  if (isDifferent(now.commands, before?.commands ?? [])) {
    const availableCommands = now.commands.map(({ hint, ...command }) => ({
      ...command,
      input: hint === null ? null : { hint },
    }));
    updates.push({ sessionUpdate: 'available_commands_update', availableCommands });
  }
  if (now.usage !== null && isDifferent(now.usage, before?.usage)) {
    const { used, size, costUsd } = now.usage;
    const cost = costUsd === null ? {} : { cost: { amount: costUsd, currency: 'USD' } };
    updates.push({ sessionUpdate: 'usage_update', used: Math.round(used), size: Math.round(size), ...cost });
  }
  return updates;
}

function isDifferent(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

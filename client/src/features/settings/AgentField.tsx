import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Agent } from '@agent-console/shared/models/agent';
import { useOperationQuery } from '../../api/operations.ts';
import { type Option, SelectField } from '../../ui/Select.tsx';

/** Returns all agent definitions. */
export function useAgents() {
  return useOperationQuery('agents.list', { limit: PAGE_MAX });
}

/** Returns the chosen agent, or the console's default agent if installed, or the first installed agent. */
export function useAgentId(chosen: string): string {
  const { data: settings } = useOperationQuery('settings.get', {});
  const { data: agents } = useAgents();
  const installed = (agents?.data ?? []).filter((agent) => agent.installed);
  const preferred = installed.find(({ id }) => id === settings?.defaultAgentId) ?? installed[0];
  return chosen || (preferred?.id ?? '');
}

/** Returns a text that says why an agent is unavailable. */
export function unavailableReason(command: readonly string[]): string {
  return command[0] === undefined ? 'not installed' : `${command[0]} not found`;
}

/** Returns a select option for an agent. */
export function agentOption({ id, name, installed, command }: Agent): Option {
  return { value: id, label: name, note: installed ? id : unavailableReason(command) };
}

export function AgentField(props: { value: string; error: string | undefined; onChange(agentId: string): void }) {
  const { data } = useAgents();
  const agents = (data?.data ?? []).toSorted((a, b) => Number(b.installed) - Number(a.installed));
  return (
    <SelectField
      {...props}
      label="Agent"
      options={agents.map((agent) => ({ ...agentOption(agent), disabled: !agent.installed }))}
    />
  );
}

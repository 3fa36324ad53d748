import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { useState } from 'react';
import { useOperationQuery } from '../../api/operations.ts';

import { SelectField } from '../../ui/Select.tsx';

/** Returns all agent definitions. */
export function useAgents() {
  return useOperationQuery('agents.list', { limit: PAGE_MAX });
}

/**
 * State of an agent field. Defaults to the console's default agent if installed, otherwise to the first installed
 * agent.
 */
export function useAgentChoice(): [string, (agentId: string) => void] {
  const [chosen, choose] = useState('');
  const { data: settings } = useOperationQuery('settings.get', {});
  const { data: agents } = useAgents();
  const installed = (agents?.data ?? []).filter((agent) => agent.installed);
  const preferred = installed.find(({ id }) => id === settings?.defaultAgentId) ?? installed[0];
  return [chosen || (preferred?.id ?? ''), choose];
}

/** Explains why an agent is unavailable. */
export function unavailableReason(command: readonly string[]): string {
  return command[0] === undefined ? 'not installed' : `${command[0]} not found`;
}

export function AgentField({
  value,
  error,
  onChange,
}: {
  value: string;
  error?: string | undefined;
  onChange(agentId: string): void;
}) {
  const { data } = useAgents();
  const agents = (data?.data ?? []).toSorted((a, b) => Number(b.installed) - Number(a.installed));
  return (
    <SelectField
      error={error}
      label="Agent"
      onChange={onChange}
      options={agents.map(({ id, name, installed, command }) => ({
        value: id,
        label: name,
        note: installed ? id : unavailableReason(command),
        disabled: !installed,
      }))}
      value={value}
    />
  );
}

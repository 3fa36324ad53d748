import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Agent } from '@agent-console/shared/models/agent';
import { useOperationQuery } from '../../api/operations.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { lastUsed } from '../../ui/last-used.ts';
import { type Option, SelectField } from '../../ui/Select.tsx';
import { ShellCommand } from '../../ui/ShellCommand.tsx';

export function useAgents() {
  return useOperationQuery('agents.list', { limit: PAGE_MAX });
}

/**
 * Returns the id of the chosen agent. Without a choice, the first of these that is installed: the last used agent, the
 * console's default agent, any other agent.
 */
export function useAgentId(chosen: string): string {
  const { data: settings } = useOperationQuery('settings.get', {});
  const { data: agents } = useAgents();
  const installed = (agents?.data ?? []).filter((agent) => agent.installed);
  const usual = (agentId: string | undefined) => installed.find(({ id }) => id === agentId);
  const preferred = usual(lastUsed('agentId')) ?? usual(settings?.defaultAgentId) ?? installed[0];
  return chosen || (preferred?.id ?? '');
}

/** Returns a text that says why an agent is unavailable. */
export function unavailableReason(command: readonly string[]): string {
  return command[0] === undefined ? 'not installed' : `${command[0]} not found`;
}

/** The command that makes an agent usable: its installation or login. Nothing for an agent that is ready. */
export function AgentRemedy({ agent: { installed, loggedIn, installCommand, loginCommand } }: { agent: Agent }) {
  const command = installed ? (loggedIn === 'no' ? loginCommand : null) : installCommand;
  if (command === null) return null;
  return (
    <div className="flex min-w-0 items-center gap-1.5 text-sm">
      <span className="shrink-0 text-quiet">{installed ? 'Log in with the command' : 'Install with the command'}</span>
      <ShellCommand>{command}</ShellCommand>
      <CopyButton className="size-7 max-md:size-10" icon kind="quiet" label={`Copy ${command}`} text={command} />
    </div>
  );
}

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

import type { Agent } from '@agent-console/shared/models/agent';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { TextAreaField, TextField } from '../../ui/Field.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { FormProblem } from '../../ui/Problem.tsx';
import { SelectField } from '../../ui/Select.tsx';
import { useForm } from '../../ui/use-form.ts';

const WHEN_UNKNOWN = [
  { value: 'hold', label: 'Hold the prompt', note: 'until you send it' },
  { value: 'send', label: 'Send the prompt', note: 'after a while without output' },
];

const DRIVERS = [
  { value: 'pty', label: 'In a terminal' },
  { value: 'acp', label: 'Over the Agent Client Protocol' },
];

/**
 * Returns the pasted registry entry. Text that is not JSON is sent unchanged, so that the server reports the syntax
 * error.
 */
function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return text as unknown as Record<string, unknown>;
  }
}

/** Returns the definition without empty fields, because the registry entry supplies them. */
function given<T extends { id: string; name: string; command: string[] }>({ id, name, command, ...rest }: T) {
  return {
    ...rest,
    ...(id === '' ? {} : { id }),
    ...(name === '' ? {} : { name }),
    ...(command.length === 0 ? {} : { command }),
  };
}

/** Adds or edits a custom agent. */
export default function AgentDialog({ agent, onClose }: { agent?: Agent; onClose(): void }) {
  const [whenUnknown, setWhenUnknown] = useState(agent?.queueWhenUnknown ?? 'hold');
  const [driver, setDriver] = useState(agent?.driver ?? 'pty');
  const create = useOperationMutation('agents.create', { onSuccess: onClose });
  const update = useOperationMutation('agents.update', { onSuccess: onClose });
  const { error, isPending } = agent === undefined ? create : update;
  const stored = {
    id: agent?.id ?? '',
    name: agent?.name ?? '',
    command: agent?.command.join('\n') ?? '',
    env: agent?.env.join(' ') ?? '',
    registryEntry: '',
  };
  const { values, names, field } = useForm(stored, error);
  const hasEntry = agent === undefined && values.registryEntry.trim() !== '';
  const required = (message: string) => (hasEntry ? undefined : message);
  const send = () => {
    const definition = {
      id: values.id.trim(),
      name: values.name.trim(),
      command: values.command.split('\n').filter((line) => line !== ''),
      env: values.env.split(/[\s,]+/).filter(Boolean),
      queueWhenUnknown: whenUnknown,
    };
    if (agent !== undefined) update.mutate(definition);
    else if (hasEntry) create.mutate({ ...given(definition), registryEntry: parsed(values.registryEntry) });
    else create.mutate({ ...definition, driver });
  };
  return (
    <FormDialog
      busy={isPending}
      onClose={onClose}
      onSubmit={send}
      problem={<FormProblem error={error} fields={names} />}
      submit={agent === undefined ? 'Add agent' : 'Save'}
      title={agent === undefined ? 'Add agent' : `Edit ${isolateText(agent.name)}`}
    >
      {agent === undefined && (
        <TextAreaField
          {...field('registryEntry')}
          hint="Paste an entry of the registry of ACP agents (JSON). The fields below then become optional."
          label="Registry entry"
          optional
          mono
          placeholder={'{"id": "my-agent", "name": "My agent", "distribution": {…}}'}
          rows={2}
        />
      )}
      <div className="grid gap-4 md:grid-cols-2">
        <TextField
          {...field('id', required('Enter an ID.'))}
          hint="Used in commands. Cannot be changed later."
          label="ID"
          autoFocus={agent === undefined}
          disabled={agent !== undefined}
          mono
          placeholder="my-agent"
        />
        <TextField {...field('name', required('Enter a name.'))} label="Name" placeholder="My agent" />
      </div>
      <TextAreaField
        {...field('command', required('Enter a command.'))}
        hint="The executable and its arguments, one per line. Not interpreted by a shell."
        label="Command"
        mono
        placeholder={'my-agent\n--no-color'}
        rows={3}
      />
      {agent !== undefined || hasEntry ? null : (
        <SelectField
          hint="How the console talks to the agent."
          label="Connection"
          onChange={(value) => setDriver(value === 'acp' ? 'acp' : 'pty')}
          options={DRIVERS}
          value={driver}
        />
      )}
      <TextField
        {...field('env')}
        hint="Names of variables to pass from the console’s environment, in addition to common ones such as PATH and HOME."
        label="Environment variables"
        optional
        mono
        placeholder="MY_AGENT_KEY MY_AGENT_URL"
      />
      {driver === 'acp' || hasEntry ? null : (
        <SelectField
          hint="What to do with a queued prompt while the agent’s activity is unknown."
          label="When activity is unknown"
          onChange={(value) => setWhenUnknown(value === 'send' ? 'send' : 'hold')}
          options={WHEN_UNKNOWN}
          value={whenUnknown}
        />
      )}
    </FormDialog>
  );
}

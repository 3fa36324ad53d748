import type { Agent } from '@agent-console/shared/models/agent';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { TextAreaField, TextField } from '../../ui/Field.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { FormProblem, issuesOf } from '../../ui/Problem.tsx';
import { SelectField } from '../../ui/Select.tsx';

const WHEN_UNKNOWN = [
  { value: 'hold', label: 'Hold the prompt', note: 'until you send it' },
  { value: 'send', label: 'Send the prompt', note: 'for agents with little output' },
];

/** Adds or edits a custom agent. */
export default function AgentDialog({ agent, onClose }: { agent?: Agent; onClose(): void }) {
  const [id, setId] = useState(agent?.id ?? '');
  const [name, setName] = useState(agent?.name ?? '');
  const [command, setCommand] = useState(agent?.command.join('\n') ?? '');
  const [env, setEnv] = useState(agent?.env.join(' ') ?? '');
  const [whenUnknown, setWhenUnknown] = useState(agent?.queueWhenUnknown ?? 'hold');
  const create = useOperationMutation('agents.create', { onSuccess: onClose });
  const update = useOperationMutation('agents.update', { onSuccess: onClose });
  const { error, isPending } = agent === undefined ? create : update;
  const issues = issuesOf(error);
  const send = () => {
    const definition = {
      id: id.trim(),
      name: name.trim(),
      command: command.split('\n').filter((line) => line !== ''),
      env: env.split(/[\s,]+/).filter(Boolean),
      queueWhenUnknown: whenUnknown,
    };
    if (agent === undefined) create.mutate(definition);
    else update.mutate(definition);
  };
  return (
    <FormDialog
      busy={isPending}
      onClose={onClose}
      onSubmit={send}
      problem={<FormProblem error={error} fields={['id', 'name', 'command', 'env']} />}
      submit={agent === undefined ? 'Add agent' : 'Save'}
      title={agent === undefined ? 'Add agent' : `Edit ${isolateText(agent.name)}`}
    >
      <div className="grid gap-4 md:grid-cols-2">
        <TextField
          error={issues.id}
          hint="Used in commands. Cannot be changed later."
          label="ID"
          missing={id.trim() === '' ? 'Enter an ID.' : undefined}
          autoFocus={agent === undefined}
          disabled={agent !== undefined}
          mono
          onChange={setId}
          placeholder="my-agent"
          value={id}
        />
        <TextField
          error={issues.name}
          label="Name"
          missing={name.trim() === '' ? 'Enter a name.' : undefined}
          onChange={setName}
          placeholder="My agent"
          value={name}
        />
      </div>
      <TextAreaField
        error={issues.command}
        hint="The executable and its arguments, one per line. Not interpreted by a shell."
        label="Command"
        missing={command.trim() === '' ? 'Enter a command.' : undefined}
        mono
        onChange={setCommand}
        placeholder={'my-agent\n--no-color'}
        rows={3}
        value={command}
      />
      <TextField
        error={issues.env}
        hint="Names of variables to pass from the console’s environment. No others are passed."
        label="Environment variables"
        optional
        mono
        onChange={setEnv}
        placeholder="MY_AGENT_KEY MY_AGENT_URL"
        value={env}
      />
      <SelectField
        hint="What to do with a queued prompt while the agent’s activity is unknown."
        label="When activity is unknown"
        onChange={(value) => setWhenUnknown(value === 'send' ? 'send' : 'hold')}
        options={WHEN_UNKNOWN}
        value={whenUnknown}
      />
    </FormDialog>
  );
}

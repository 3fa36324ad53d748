import type { Agent } from '@agent-console/shared/models/agent';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Field, TextArea, TextInput } from '../../ui/Field.tsx';
import { FormProblem, issuesOf } from '../../ui/FormProblem.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Select } from '../../ui/Select.tsx';

const WHEN_UNKNOWN = [
  { value: 'hold', label: 'Hold the prompt', note: 'until someone says send' },
  { value: 'send', label: 'Send it', note: 'for agents that say little' },
];

/** Defines an agent by its command, or changes one. */
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
    const given = {
      id: id.trim(),
      name: name.trim(),
      command: command.split('\n').filter((line) => line !== ''),
      env: env.split(/[\s,]+/).filter(Boolean),
      queueWhenUnknown: whenUnknown,
    };
    if (agent === undefined) create.mutate(given);
    else update.mutate(given);
  };
  return (
    <FormDialog
      busy={isPending}
      onClose={onClose}
      onSubmit={send}
      problem={<FormProblem error={error} fields={['id', 'name', 'command', 'env']} />}
      submit={agent === undefined ? 'Add' : 'Save'}
      title={agent === undefined ? 'Add an agent' : `Change ${isolateText(agent.name)}`}
    >
      <div className="grid gap-4 md:grid-cols-2">
        <Field
          error={issues.id}
          hint="It cannot be changed later."
          label="Id"
          missing={id.trim() === '' ? 'Say what it is called in commands.' : undefined}
        >
          {(control) => (
            <TextInput
              {...control}
              autoFocus={agent === undefined}
              disabled={agent !== undefined}
              mono
              onChange={(event) => setId(event.target.value)}
              placeholder="my-agent"
              value={id}
            />
          )}
        </Field>
        <Field error={issues.name} label="Name" missing={name.trim() === '' ? 'Say what it is called.' : undefined}>
          {(control) => (
            <TextInput
              {...control}
              onChange={(event) => setName(event.target.value)}
              placeholder="My agent"
              value={name}
            />
          )}
        </Field>
      </div>
      <Field
        error={issues.command}
        hint="The program, then each argument on a line of its own. No shell reads them."
        label="Command"
        missing={command.trim() === '' ? 'Say which program it is.' : undefined}
      >
        {(control) => (
          <TextArea
            {...control}
            mono
            onChange={(event) => setCommand(event.target.value)}
            placeholder={'my-agent\n--no-color'}
            rows={3}
            value={command}
          />
        )}
      </Field>
      <Field
        error={issues.env}
        hint="Names only: it gets them from the environment of the console, and nothing else of it."
        label="Environment variables"
        optional
      >
        {(control) => (
          <TextInput
            {...control}
            mono
            onChange={(event) => setEnv(event.target.value)}
            placeholder="MY_AGENT_KEY MY_AGENT_URL"
            value={env}
          />
        )}
      </Field>
      <Field
        hint="What happens to a queued prompt while nobody can tell what the agent is doing."
        label="When its activity is unknown"
      >
        {(control) => (
          <Select
            {...control}
            onChange={(value) => setWhenUnknown(value === 'send' ? 'send' : 'hold')}
            options={WHEN_UNKNOWN}
            value={whenUnknown}
          />
        )}
      </Field>
    </FormDialog>
  );
}

import type { Agent } from '@agent-console/shared/models/agent';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { TextAreaField, TextField } from '../../ui/Field.tsx';
import { filled } from '../../ui/filled.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { FormProblem } from '../../ui/Problem.tsx';
import { SelectField } from '../../ui/Select.tsx';
import { useForm } from '../../ui/use-form.ts';
import { useAgents } from './AgentField.tsx';
import { byFormField, commandLine, idFromName, parseEntry } from './agent-form.ts';

const WHEN_UNKNOWN = [
  { value: 'hold', label: 'Keep prompts in the queue until you send them' },
  { value: 'send', label: 'Send prompts once the agent has printed nothing for a while' },
];

const DRIVERS = [
  { value: 'pty', label: 'Terminal' },
  { value: 'acp', label: 'Agent Client Protocol (ACP)' },
];

const DRIVER_HINTS = {
  pty: 'The agent runs in a terminal, as if you had typed its command.',
  acp: 'The agent speaks ACP on its standard input and output.',
};

/** Adds or edits a custom agent: by its name and command, or by an entry of the public registry of ACP agents. */
export default function AgentDialog({ agent, onClose }: { agent?: Agent; onClose(): void }) {
  const isNew = agent === undefined;
  const [fromRegistry, setFromRegistry] = useState(false);
  const [whenUnknown, setWhenUnknown] = useState(agent?.queueWhenUnknown ?? 'hold');
  const [driver, setDriver] = useState(agent?.driver ?? 'pty');
  const [syntaxProblem, setSyntaxProblem] = useState<{ text: string; problem: string }>();
  const { data: agents } = useAgents();
  const create = useOperationMutation('agents.create', { onSuccess: onClose });
  const update = useOperationMutation('agents.update', { onSuccess: onClose });
  const { isPending, error: refusal } = isNew ? create : update;
  const error = byFormField(refusal);
  const [program = '', ...programArgs] = agent?.command ?? [];
  const stored = {
    id: agent?.id ?? '',
    name: agent?.name ?? '',
    command: program,
    args: programArgs.join('\n'),
    env: agent?.env.join(' ') ?? '',
    registryEntry: '',
  };
  const { values, changes, names, field } = useForm(stored, error);
  // The id of a new agent is made from its name until the person changes the id.
  const id = (isNew && changes.id === undefined && !fromRegistry ? idFromName(values.name) : values.id).trim();
  const isTaken = id !== agent?.id && agents?.data.some((each) => each.id === id) === true;

  const send = () => {
    const env = values.env.split(/[\s,]+/).filter(Boolean);
    const name = values.name.trim();
    if (fromRegistry) {
      const parsed = parseEntry(values.registryEntry);
      if ('entry' in parsed) create.mutate({ ...filled({ id, name }), env, registryEntry: parsed.entry });
      else setSyntaxProblem({ text: values.registryEntry, problem: parsed.problem });
      return;
    }
    const definition = { name, command: commandLine(values), env, queueWhenUnknown: whenUnknown };
    if (isNew) create.mutate({ id, driver, ...definition });
    else update.mutate({ id: agent.id, ...definition, ...(id === agent.id ? {} : { newId: id }) });
  };

  const taken = isTaken ? 'Another agent has this ID. Enter a different ID.' : undefined;
  const missingId = taken ?? (id === '' && !fromRegistry ? 'Enter an ID.' : undefined);
  const idField = field('id');
  const idProps = { ...idField, value: id, error: taken ?? idField.error, missing: missingId };
  const isLine = /\s/.test(values.command.trim());
  const environment = (
    <TextField
      {...field('env')}
      hint="Names of variables, separated by spaces. The agent gets their values from the console, in addition to common variables such as PATH and HOME."
      label="Environment variables"
      mono
      optional
      placeholder="MY_AGENT_KEY MY_AGENT_URL"
    />
  );
  return (
    <FormDialog
      busy={isPending}
      hint={
        isNew ? (
          <button
            className="rounded text-left text-accent hover:underline max-md:py-3"
            onClick={() => setFromRegistry(!fromRegistry)}
            type="button"
          >
            {fromRegistry ? 'Enter a command instead' : 'Paste an entry of the ACP registry'}
          </button>
        ) : undefined
      }
      onClose={onClose}
      onSubmit={send}
      problem={<FormProblem error={error} fields={names} />}
      submit={isNew ? 'Add agent' : 'Save'}
      title={isNew ? 'Add agent' : `Edit ${isolateText(agent.name)}`}
      width="wide"
    >
      {fromRegistry ? (
        <>
          <TextAreaField
            {...field('registryEntry', 'Paste a registry entry.')}
            {...(syntaxProblem?.text === values.registryEntry ? { error: syntaxProblem.problem } : {})}
            autoFocus
            hint="One entry of the public registry of ACP agents, as JSON. It contains the agent's name, ID and command."
            label="Registry entry"
            mono
            placeholder={
              '{\n  "id": "my-agent",\n  "name": "My agent",\n  "distribution": {"npx": {"package": "my-agent"}}\n}'
            }
            rows={6}
          />
          <div className="grid gap-4 md:grid-cols-2">
            <TextField {...field('name')} hint="Replaces the name in the registry entry." label="Name" optional />
            <TextField {...idProps} hint="Replaces the ID in the registry entry." label="ID" mono optional />
          </div>
          {environment}
        </>
      ) : (
        <>
          <div className="grid gap-4 md:grid-cols-2">
            <TextField
              {...field('name', 'Enter a name.')}
              hint="Shown wherever you choose an agent."
              label="Name"
              placeholder="My agent"
            />
            <TextField
              {...idProps}
              hint={
                isNew
                  ? 'Used in commands and API calls.'
                  : 'Used in commands and API calls. If you change the ID, existing sessions use the new one.'
              }
              label="ID"
              mono
              placeholder="my-agent"
            />
          </div>
          <TextField
            {...field('command', 'Enter a command.')}
            hint={
              isLine
                ? 'Only the executable. Arguments belong in the next field.'
                : 'The executable: its name on PATH, or its absolute path.'
            }
            label="Command"
            mono
            placeholder="my-agent"
          />
          <TextAreaField
            {...field('args')}
            hint="One per line. No shell interprets them, so they need no quotes."
            label="Arguments"
            mono
            optional
            placeholder={'--no-color\n--model=large'}
            rows={2}
          />
          <div className="grid gap-4 empty:hidden md:grid-cols-2">
            {isNew ? (
              <SelectField
                hint={DRIVER_HINTS[driver]}
                label="Connection"
                onChange={(value) => setDriver(value === 'acp' ? 'acp' : 'pty')}
                options={DRIVERS}
                value={driver}
              />
            ) : null}
            {driver === 'acp' ? null : (
              <SelectField
                hint="What the console does with prompts while it does not know whether the agent is working."
                label="Queued prompts"
                onChange={(value) => setWhenUnknown(value === 'send' ? 'send' : 'hold')}
                options={WHEN_UNKNOWN}
                value={whenUnknown}
              />
            )}
          </div>
          {environment}
        </>
      )}
    </FormDialog>
  );
}

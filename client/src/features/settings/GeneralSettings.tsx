import {
  DELEGATION_CHILDREN_DEFAULT,
  DELEGATION_DEPTH_DEFAULT,
  IDLE_PAUSE_AFTER_MS,
  LIVE_SESSIONS_DEFAULT,
  REMINDER_AFTER_MS,
} from '@agent-console/shared/limits/sessions';
import type { Settings } from '@agent-console/shared/models/settings';
import type { ReactNode } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { Field, TextField, TextInput } from '../../ui/Field.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SelectField } from '../../ui/Select.tsx';
import { SettingsForm } from '../../ui/SettingsForm.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { useForm } from '../../ui/use-form.ts';
import { AgentRemedy, agentOption, useAgents } from './AgentField.tsx';

const NUMBERS = [
  {
    name: 'delegationDepth',
    group: 'Limits',
    label: 'Maximum delegation depth of agents',
    unit: 'levels',
    fallback: DELEGATION_DEPTH_DEFAULT,
    hint: 'Number of levels of delegated sessions below a session that you started. Your own delegations are not limited.',
  },
  {
    name: 'delegationChildren',
    group: 'Limits',
    label: 'Maximum delegated tasks per session',
    unit: 'tasks that have not ended',
    fallback: DELEGATION_CHILDREN_DEFAULT,
    hint: 'A session that has delegated this many tasks cannot delegate more until one of them ends.',
  },
  {
    name: 'liveSessions',
    group: 'Limits',
    label: 'Maximum sessions with a running agent or terminal',
    unit: 'sessions',
    fallback: LIVE_SESSIONS_DEFAULT,
    hint: 'Each running agent uses about 200 MB of memory.',
  },
  {
    name: 'reminderSeconds',
    group: 'Idle sessions and ended runs',
    label: 'Remind an agent to report after',
    unit: 'seconds idle',
    fallback: REMINDER_AFTER_MS / 1_000,
    hint: 'Applies to an agent that has not reported the result of a delegated task. The agent is reminded once for each task. With 0, the agent is reminded as soon as it is idle.',
  },
  {
    name: 'idlePauseMinutes',
    group: 'Idle sessions and ended runs',
    label: 'Pause a finished session after',
    unit: 'minutes idle',
    fallback: IDLE_PAUSE_AFTER_MS / 60_000,
    hint: 'Applies to delegated sessions, agents of runs, and sessions marked completed or failed. Frees the memory of the agent. The next prompt resumes the session. With 0, no idle session is paused.',
  },
  {
    name: 'orchestrationRetentionDays',
    group: 'Idle sessions and ended runs',
    label: 'Remove ended runs after',
    unit: 'days',
    fallback: 0,
    hint: 'Also removes their events and their folders in the data directory. With 0, no run is removed.',
  },
] as const;

/** Settings that are sent as strings even if the entered text looks like a number. */
const TEXTS: ReadonlySet<string> = new Set(['defaultAgentId', 'editorCommand', 'editorUrl']);

const GROUPS = ['Limits', 'Idle sessions and ended runs'] as const;

const ARCHIVE = [
  { value: 'yes', label: 'Save its data as files' },
  { value: 'no', label: 'Keep no copy' },
];

const BRANCH_NAMES = [
  {
    value: 'agent',
    label: 'Ask the agent for a name',
    note: "if the agent suggests no branch name, the prompt's words are used",
  },
  { value: 'slug', label: "Use the prompt's words", note: 'faster' },
];

export function GeneralSettings() {
  const { data: settings, error, isPending } = useOperationQuery('settings.get', {});
  const { data: agents } = useAgents();
  const update = useOperationMutation('settings.update', { onSuccess: () => form.discard() });
  const stored = Object.fromEntries(Object.entries(settings ?? {}).map(([name, value]) => [name, String(value)]));
  const form = useForm(stored as Record<keyof Settings, string>, update.error);
  const { values, field } = form;
  if (isPending) return <Skeleton rows={6} />;
  if (settings === undefined) return <Problem error={error} />;

  const send = () => {
    const numbers = Object.entries(form.changes).map(([name, value]) => {
      const number = value.trim() === '' ? Number.NaN : Number(value);
      return [name, TEXTS.has(name) || Number.isNaN(number) ? value : number];
    });
    update.mutate(Object.fromEntries(numbers) as Partial<Settings>);
  };
  const known = agents?.data ?? [];
  const defaultAgent = values.defaultAgentId;
  const chosenAgent = known.find(({ id }) => id === defaultAgent);
  return (
    <SettingsForm form={form} mutation={update} onSubmit={send}>
      <Group title="New work">
        <SelectField
          {...field('defaultAgentId')}
          hint="Used if you choose no agent. Default: claude-code"
          label="Default agent of new sessions"
          options={[
            ...known.map(agentOption),
            ...(known.some(({ id }) => id === defaultAgent)
              ? []
              : [{ value: defaultAgent, label: defaultAgent, note: 'not defined' }]),
          ]}
        />
        <SelectField
          {...field('branchNames')}
          hint="How a branch is named if you enter no name. Asking the agent takes a few seconds and costs tokens. Default: ask the agent"
          label="Name branches"
          options={BRANCH_NAMES}
        />
        {chosenAgent === undefined ? null : <AgentRemedy agent={chosenAgent} />}
      </Group>
      {GROUPS.map((group) => (
        <Group key={group} title={group}>
          {NUMBERS.filter((each) => each.group === group).map(({ name, label, unit, fallback, hint }) => (
            <Field
              error={form.issues[name]}
              hint={`${hint} Default: ${fallback.toLocaleString()}`}
              key={name}
              label={label}
            >
              {(control) => (
                <div className="flex items-center gap-2">
                  <TextInput
                    {...control}
                    className="!w-24 tabular-nums"
                    inputMode="numeric"
                    onChange={(event) => field(name).onChange(event.target.value)}
                    value={values[name]}
                  />
                  <span className="text-quiet">{unit}</span>
                </div>
              )}
            </Field>
          ))}
          {group === 'Idle sessions and ended runs' ? (
            <SelectField
              {...field('archiveOrchestrations')}
              hint="Default: save its data as files"
              label="Before a run is removed"
              options={ARCHIVE}
            />
          ) : null}
        </Group>
      ))}
      <Group title="Editor">
        <TextField
          {...field('editorCommand')}
          hint="Program and arguments, run without a shell on the console's machine, such as code --goto {path}:{line}"
          label="Command that opens files in the editor"
          mono
          optional
        />
        <TextField
          {...field('editorUrl')}
          hint="URL that the browser opens if no command is set, such as vscode://file{path}:{line}"
          label="URL that opens files in the editor"
          mono
          optional
        />
      </Group>
    </SettingsForm>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-3 border-t border-line pt-4">
      <h2 className="font-semibold">{title}</h2>
      <div className="grid gap-x-8 gap-y-4 md:grid-cols-2">{children}</div>
    </section>
  );
}

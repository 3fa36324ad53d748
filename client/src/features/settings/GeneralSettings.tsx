import {
  DELEGATION_CHILDREN_DEFAULT,
  DELEGATION_DEPTH_DEFAULT,
  IDLE_PAUSE_AFTER_MS,
  LIVE_SESSIONS_DEFAULT,
  REMINDER_AFTER_MS,
} from '@agent-console/shared/limits/sessions';
import type { Settings } from '@agent-console/shared/models/settings';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { Field, TextField, TextInput } from '../../ui/Field.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { SelectField } from '../../ui/Select.tsx';
import { SettingsForm } from '../../ui/SettingsForm.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { useForm } from '../../ui/use-form.ts';
import { agentOption, useAgents } from './AgentField.tsx';

const NUMBERS = [
  {
    name: 'delegationDepth',
    label: 'Delegation depth',
    unit: 'levels',
    fallback: DELEGATION_DEPTH_DEFAULT,
    hint: 'Levels of delegation allowed below a session that you started. Your own delegations are not limited.',
  },
  {
    name: 'delegationChildren',
    label: 'Open delegations per session',
    unit: 'tasks',
    fallback: DELEGATION_CHILDREN_DEFAULT,
    hint: 'Maximum open delegated tasks per session.',
  },
  {
    name: 'liveSessions',
    label: 'Live sessions',
    unit: 'sessions',
    fallback: LIVE_SESSIONS_DEFAULT,
    hint: 'Maximum number of sessions with a running process. Each agent uses about 200 MB.',
  },
  {
    name: 'reminderSeconds',
    label: 'Report reminder',
    unit: 'seconds idle',
    fallback: REMINDER_AFTER_MS / 1_000,
    hint: 'Remind a delegated agent once if it is idle this long without reporting.',
  },
  {
    name: 'idlePauseMinutes',
    label: 'Pause when done',
    unit: 'minutes idle',
    fallback: IDLE_PAUSE_AFTER_MS / 60_000,
    hint: 'Pause a delegated session after its work is done. The next prompt resumes it. 0 disables this.',
  },
  {
    name: 'orchestrationRetentionDays',
    label: 'Remove ended runs',
    unit: 'days',
    fallback: 0,
    hint: 'Remove runs that ended this long ago, with their events and folders. 0 keeps all of them.',
  },
] as const;

/** Settings that stay texts, even if they look like numbers or are empty. */
const TEXTS: ReadonlySet<string> = new Set(['defaultAgentId', 'editorCommand', 'editorUrl']);

const ARCHIVE = [
  { value: 'yes', label: 'Archive them first', note: 'agents, events and output, as files' },
  { value: 'no', label: 'Do not archive them' },
];

const BRANCH_NAMES = [
  { value: 'agent', label: 'Ask the agent', note: 'if that fails, the prompt’s words' },
  { value: 'slug', label: 'Use the prompt’s words', note: 'faster' },
];

/** Settings form of the console. */
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
  return (
    <SettingsForm form={form} mutation={update} onSubmit={send}>
      <div className="grid gap-x-8 gap-y-4 md:grid-cols-2">
        <SelectField
          {...field('defaultAgentId')}
          hint="Used when no agent is chosen. Default: claude-code"
          label="Default agent"
          options={[
            ...known.map(agentOption),
            ...(known.some(({ id }) => id === defaultAgent)
              ? []
              : [{ value: defaultAgent, label: defaultAgent, note: 'not defined' }]),
          ]}
        />
        <SelectField
          {...field('branchNames')}
          hint="For new work without a branch name. Asking the agent takes a few seconds and tokens. Default: ask the agent"
          label="Branch names"
          options={BRANCH_NAMES}
        />
        <SelectField
          {...field('archiveOrchestrations')}
          hint="What happens to runs before they are removed. Default: archive them first"
          label="Removed runs"
          options={ARCHIVE}
        />
        <TextField
          {...field('editorCommand')}
          hint="Program and arguments, run without a shell on the console’s machine: code --goto {path}:{line}"
          label="Editor command"
          mono
          optional
        />
        <TextField
          {...field('editorUrl')}
          hint="Used without a command; the browser opens it: vscode://file{path}:{line}"
          label="Editor address"
          mono
          optional
        />
        {NUMBERS.map(({ name, label, unit, fallback, hint }) => (
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
      </div>
    </SettingsForm>
  );
}

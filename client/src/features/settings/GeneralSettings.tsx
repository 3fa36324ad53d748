import {
  DELEGATION_CHILDREN_DEFAULT,
  DELEGATION_DEPTH_DEFAULT,
  IDLE_PAUSE_AFTER_MS,
  LIVE_SESSIONS_DEFAULT,
  REMINDER_AFTER_MS,
} from '@agent-console/shared/limits/sessions';
import type { Settings } from '@agent-console/shared/models/settings';
import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { Field, TextInput } from '../../ui/Field.tsx';
import { FormProblem, issuesOf, Problem } from '../../ui/Problem.tsx';
import { SaveRow } from '../../ui/SaveRow.tsx';
import { SelectField } from '../../ui/Select.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { unavailableReason, useAgents } from './AgentField.tsx';

const NUMBERS: readonly {
  name: Exclude<keyof Settings, 'defaultAgentId' | 'branchNames'>;
  label: string;
  unit: string;
  fallback: number;
  hint: string;
}[] = [
  {
    name: 'delegationDepth',
    label: 'Delegation depth',
    unit: 'levels',
    fallback: DELEGATION_DEPTH_DEFAULT,
    hint: 'Levels of delegation allowed below a session that you started. Does not limit people.',
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
];

const BRANCH_NAMES = [
  { value: 'agent', label: 'Ask the agent', note: 'falls back to the prompt' },
  { value: 'slug', label: 'Use the prompt’s words', note: 'faster' },
];

/** Settings form of the console. */
export function GeneralSettings() {
  const { data: stored, error, isPending } = useOperationQuery('settings.get', {});
  const { data: agents } = useAgents();
  const [changes, setChanges] = useState<Readonly<Record<string, string>>>({});
  const update = useOperationMutation('settings.update', { onSuccess: () => setChanges({}) });
  const issues = issuesOf(update.error);
  if (isPending) return <Skeleton rows={6} />;
  if (stored === undefined) return <Problem error={error} />;

  const shownText = (name: keyof Settings) => changes[name] ?? String(stored[name]);
  const put = (name: string, value: string) => setChanges((before) => ({ ...before, [name]: value }));
  const isChanged = Object.entries(changes).some(([name, value]) => value !== String(stored[name as keyof Settings]));
  const send = () => {
    const numbers = Object.entries(changes).map(([name, value]) => {
      const number = value.trim() === '' ? Number.NaN : Number(value);
      return [name, name === 'defaultAgentId' || Number.isNaN(number) ? value : number];
    });
    update.mutate(Object.fromEntries(numbers) as Partial<Settings>);
  };
  const known = agents?.data ?? [];
  const defaultAgent = shownText('defaultAgentId');
  return (
    <form
      className="flex flex-col gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className="grid gap-x-8 gap-y-4 md:grid-cols-2">
        <SelectField
          error={issues.defaultAgentId}
          hint="Used when no agent is chosen. Default: claude-code"
          label="Default agent"
          onChange={(value) => put('defaultAgentId', value)}
          options={[
            ...known.map(({ id, name, installed, command }) => ({
              value: id,
              label: name,
              note: installed ? id : unavailableReason(command),
            })),
            ...(known.some(({ id }) => id === defaultAgent)
              ? []
              : [{ value: defaultAgent, label: defaultAgent, note: 'not defined' }]),
          ]}
          value={defaultAgent}
        />
        <SelectField
          error={issues.branchNames}
          hint="For new work without a branch name. Asking the agent takes a few seconds and tokens. Default: ask the agent"
          label="Branch names"
          onChange={(value) => put('branchNames', value)}
          options={BRANCH_NAMES}
          value={shownText('branchNames')}
        />
        {NUMBERS.map(({ name, label, unit, fallback, hint }) => (
          <Field error={issues[name]} hint={`${hint} Default: ${fallback.toLocaleString()}`} key={name} label={label}>
            {(control) => (
              <div className="flex items-center gap-2">
                <TextInput
                  {...control}
                  className="!w-24 tabular-nums"
                  inputMode="numeric"
                  onChange={(event) => put(name, event.target.value)}
                  value={shownText(name)}
                />
                <span className="text-quiet">{unit}</span>
              </div>
            )}
          </Field>
        ))}
      </div>
      <FormProblem error={update.error} fields={Object.keys(stored)} />
      <SaveRow busy={update.isPending} changed={isChanged} onDiscard={() => setChanges({})} saved={update.isSuccess} />
    </form>
  );
}

import type { Repository } from '@agent-console/shared/models/repository';
import { useOperationMutation } from '../../api/operations.ts';
import { Checkbox, TextAreaField, TextField } from '../../ui/Field.tsx';
import { SettingsForm } from '../../ui/SettingsForm.tsx';
import { failureToast } from '../../ui/toasts.ts';
import { useForm } from '../../ui/use-form.ts';
import { BranchField } from './RepositoryField.tsx';

const COMMANDS = [
  {
    name: 'setupCommand',
    label: 'Setup',
    hint: 'Runs with sh -c in each new worktree before the agent starts.',
    example: 'npm ci',
  },
  {
    name: 'cleanupCommand',
    label: 'Cleanup',
    hint: 'Runs in each worktree before it is removed.',
    example: 'docker compose down',
  },
  {
    name: 'checkCommand',
    label: 'Check',
    hint: 'Verifies the work in a worktree. The check passes if the command exits with code 0.',
    example: 'npm test',
  },
  {
    name: 'pullRequestCommand',
    label: 'Pull request',
    hint: 'Must create a pull request for the branch and print the address of the pull request. If empty, gh pr create is used.',
    example: 'glab mr create --fill --yes',
  },
] as const;

const PERMISSIONS = [
  {
    name: 'agentsMayIntegrate',
    label: 'Agents may merge into the default branch',
    hint: 'If this is off, an agent can merge the work of its child sessions only into the branch of its own worktree, and never into the default branch.',
  },
  {
    name: 'runHooks',
    label: 'Run git hooks for agents',
    hint: 'Applies to commits, merges and pushes by agents. For people, hooks always run.',
  },
] as const;

export function RepositorySettings({ repository }: { repository: Repository }) {
  const { id, name, defaultBranch, setupCommand, cleanupCommand, checkCommand, pullRequestCommand } = repository;
  const stored = {
    name,
    defaultBranch,
    setupCommand: setupCommand ?? '',
    cleanupCommand: cleanupCommand ?? '',
    checkCommand: checkCommand ?? '',
    pullRequestCommand: pullRequestCommand ?? '',
    agentsMayIntegrate: String(repository.agentsMayIntegrate),
    runHooks: String(repository.runHooks),
  };
  const update = useOperationMutation('repositories.update', {
    onSuccess: () => form.discard(),
    onLateError: failureToast('Could not save the settings'),
  });
  const form = useForm(stored, update.error);
  const { values, field } = form;
  return (
    <SettingsForm
      form={form}
      mutation={update}
      onSubmit={() => {
        const orNone = (text: string) => (text.trim() === '' ? null : text);
        update.mutate({
          repositoryId: id,
          name: values.name.trim(),
          defaultBranch: values.defaultBranch.trim(),
          setupCommand: orNone(values.setupCommand),
          cleanupCommand: orNone(values.cleanupCommand),
          checkCommand: orNone(values.checkCommand),
          pullRequestCommand: orNone(values.pullRequestCommand),
          // The console accepts these fields only from the local owner, so they are sent only if they changed.
          ...(values.agentsMayIntegrate === stored.agentsMayIntegrate
            ? {}
            : { agentsMayIntegrate: values.agentsMayIntegrate === 'true' }),
          ...(values.runHooks === stored.runHooks ? {} : { runHooks: values.runHooks === 'true' }),
        });
      }}
    >
      <div className="grid gap-4 md:grid-cols-2">
        <TextField {...field('name')} label="Name" />
        <BranchField
          {...field('defaultBranch')}
          hint="New branches start from this branch unless another base is chosen."
          label="Default branch"
          repositoryId={id}
        />
      </div>
      {COMMANDS.map(({ name, label, hint, example }) => (
        <TextAreaField
          {...field(name)}
          hint={hint}
          key={name}
          label={`${label} command`}
          optional
          mono
          placeholder={example}
          rows={1}
        />
      ))}
      {PERMISSIONS.map(({ name, label, hint }) => (
        <Checkbox
          checked={values[name] === 'true'}
          hint={hint}
          key={name}
          label={label}
          onChange={(checked) => form.set({ [name]: String(checked) })}
        />
      ))}
    </SettingsForm>
  );
}

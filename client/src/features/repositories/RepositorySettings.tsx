import type { Repository } from '@agent-console/shared/models/repository';
import { useOperationMutation } from '../../api/operations.ts';
import { TextAreaField, TextField } from '../../ui/Field.tsx';
import { SettingsForm } from '../../ui/SettingsForm.tsx';
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
    hint: 'Only saved for now; the console does not run this command yet.',
    example: 'npm test',
  },
] as const;

/** Name, default branch and commands of a repository. */
export function RepositorySettings({ repository }: { repository: Repository }) {
  const { id, name, defaultBranch, setupCommand, cleanupCommand, checkCommand } = repository;
  const stored = {
    name,
    defaultBranch,
    setupCommand: setupCommand ?? '',
    cleanupCommand: cleanupCommand ?? '',
    checkCommand: checkCommand ?? '',
  };
  const update = useOperationMutation('repositories.update', { onSuccess: () => form.discard() });
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
    </SettingsForm>
  );
}

import type { Repository } from '@agent-console/shared/models/repository';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { TextAreaField, TextField } from '../../ui/Field.tsx';
import { FormProblem, issuesOf } from '../../ui/Problem.tsx';
import { SaveRow } from '../../ui/SaveRow.tsx';
import { BranchField } from './RepositoryField.tsx';

const COMMANDS = [
  {
    field: 'setupCommand',
    label: 'Setup',
    hint: 'Runs with sh -c in each new worktree before the agent starts.',
    example: 'npm ci',
  },
  {
    field: 'cleanupCommand',
    label: 'Cleanup',
    hint: 'Runs in each worktree before it is removed.',
    example: 'docker compose down',
  },
  {
    field: 'checkCommand',
    label: 'Check',
    hint: 'Currently stored but not run.',
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
  const [changes, setChanges] = useState<Partial<typeof stored>>({});
  const values = { ...stored, ...changes };
  const isChanged = JSON.stringify(values) !== JSON.stringify(stored);
  const update = useOperationMutation('repositories.update', { onSuccess: () => setChanges({}) });
  const issues = issuesOf(update.error);
  const put = (field: keyof typeof stored) => (value: string) =>
    setChanges((before) => ({ ...before, [field]: value }));
  return (
    <form
      className="flex flex-col gap-4"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
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
        <TextField error={issues.name} label="Name" onChange={put('name')} value={values.name} />
        <BranchField
          error={issues.defaultBranch}
          hint="Base of new branches unless another is chosen."
          label="Default branch"
          onChange={put('defaultBranch')}
          repositoryId={id}
          value={values.defaultBranch}
        />
      </div>
      {COMMANDS.map(({ field, label, hint, example }) => (
        <TextAreaField
          error={issues[field]}
          hint={hint}
          key={field}
          label={`${label} command`}
          optional
          mono
          onChange={put(field)}
          placeholder={example}
          rows={1}
          value={values[field]}
        />
      ))}
      <FormProblem error={update.error} fields={Object.keys(stored)} />
      <SaveRow busy={update.isPending} changed={isChanged} onDiscard={() => setChanges({})} saved={update.isSuccess} />
    </form>
  );
}

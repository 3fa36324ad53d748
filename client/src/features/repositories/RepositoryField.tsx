import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { useOperationQuery } from '../../api/operations.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { Combobox, Suggest } from '../../ui/Combobox.tsx';
import { Field } from '../../ui/Field.tsx';

/** Returns every registered repository. */
export function useRepositories() {
  return useOperationQuery('repositories.list', { limit: PAGE_MAX });
}

/** Returns the default repository of a form: the only registered repository, if there is just one. */
export function useOnlyRepository(): string {
  const { data } = useRepositories();
  return data?.data.length === 1 ? (data.data[0]?.id ?? '') : '';
}

export function RepositoryField(props: {
  value: string;
  error?: string | undefined;
  missing?: string | undefined;
  onChange(repositoryId: string): void;
}) {
  const { value, error, missing, onChange } = props;
  const { data } = useRepositories();
  const options = (data?.data ?? []).map(({ id, name, path }) => ({ value: id, label: name, note: path }));
  return (
    <Field
      error={error}
      hint={
        data?.total === 0 ? (
          <>
            No repositories yet.{' '}
            <button
              className="text-accent underline"
              onClick={() => openDialog({ kind: 'addRepository' })}
              type="button"
            >
              Add repository
            </button>
          </>
        ) : undefined
      }
      label="Repository"
      missing={missing}
    >
      {(control) => (
        <Combobox {...control} onChange={onChange} options={options} placeholder="Search repositories" value={value} />
      )}
    </Field>
  );
}

/** Branch field with suggestions; accepts any revision. */
export function BranchField(props: {
  label: string;
  repositoryId: string;
  value: string;
  error?: string | undefined;
  missing?: string | undefined;
  hint?: string;
  placeholder?: string;
  optional?: boolean;
  onChange(branch: string): void;
}) {
  const { label, repositoryId, value, error, missing, hint, placeholder, optional = false, onChange } = props;
  const { data } = useOperationQuery(
    'repositories.branches',
    { repositoryId, limit: PAGE_MAX },
    { enabled: repositoryId !== '' },
  );
  const options = (data?.data ?? []).map(({ name, remote, worktreePath }) => ({
    value: name,
    label: name,
    note: worktreePath === null ? (remote ? 'remote' : '') : 'checked out',
  }));
  return (
    <Field error={error} hint={hint} label={label} missing={missing} optional={optional}>
      {(control) => (
        <Suggest
          {...control}
          onChange={onChange}
          options={options}
          value={value}
          {...(placeholder === undefined ? {} : { placeholder })}
        />
      )}
    </Field>
  );
}

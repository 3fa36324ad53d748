import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Session } from '@agent-console/shared/models/session';
import { useParams } from '@tanstack/react-router';
import { type ComponentProps, useRef } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { useCurrentSessionId } from '../../shell/current-session.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { Combobox, Suggest } from '../../ui/Combobox.tsx';
import { Field, type FieldProps } from '../../ui/Field.tsx';
import { lastUsed } from '../../ui/last-used.ts';
import { useSession, useSessions } from '../sessions/sessions-store.ts';

export function useRepositories() {
  return useOperationQuery('repositories.list', { limit: PAGE_MAX });
}

/**
 * Returns the id of the repository that forms preselect, in this order of preference: the repository of the page, the
 * repository of the open session, the last used repository, the repository of the session that changed last, the only
 * repository. Empty if there is none of these.
 */
export function useUsualRepository(): string {
  const { data } = useRepositories();
  const known = data?.data ?? [];
  const { repositoryId: onPage } = useParams({ strict: false });
  const open = useSession(useCurrentSessionId())?.repositoryId;
  const changed = useSessions(({ sessions }) => lastChangedOf(Object.values(sessions))?.repositoryId);
  const only = known.length === 1 ? known[0]?.id : undefined;
  const isKnown = (repositoryId: string | null | undefined) => known.some(({ id }) => id === repositoryId);
  // If the repository of the page was just added, the list may not contain it yet. Nothing is preselected until it
  // does.
  const isReady = onPage === undefined || isKnown(onPage);
  // While the form is open, it keeps the repository that it preselected, even if a session in another repository
  // changes.
  const kept = useRef<string | null>(undefined);
  if (isReady && !isKnown(kept.current))
    kept.current = [onPage, open, lastUsed('repositoryId'), changed, only].find(isKnown);
  return kept.current ?? '';
}

function lastChangedOf(sessions: readonly Session[]): Session | undefined {
  return sessions
    .filter(({ repositoryId }) => repositoryId !== null)
    .reduce<Session | undefined>(
      (last, each) => (last === undefined || each.updatedAt > last.updatedAt ? each : last),
      undefined,
    );
}

type Props = FieldProps & { value: string; onChange(value: string): void };

export function RepositoryField({ value, onChange, ...field }: Omit<Props, 'label'>) {
  const { data } = useRepositories();
  const options = (data?.data ?? []).map(({ id, name, path }) => ({ value: id, label: name, note: path }));
  const hint =
    data?.total === 0 ? (
      <>
        No repositories yet.{' '}
        <button className="text-accent underline" onClick={() => openDialog({ kind: 'addRepository' })} type="button">
          Add repository
        </button>
      </>
    ) : undefined;
  return (
    <Field {...field} hint={hint} label="Repository">
      {(control) => (
        <Combobox {...control} onChange={onChange} options={options} placeholder="Search repositories" value={value} />
      )}
    </Field>
  );
}

/** Branch field with suggestions. Any other revision can be typed. */
export function BranchField(props: Props & { repositoryId: string; placeholder?: string }) {
  const { repositoryId, value, placeholder = '', onChange, ...field } = props;
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
    <Field {...field}>
      {(control) => (
        <Suggest {...control} onChange={onChange} options={options} placeholder={placeholder} value={value} />
      )}
    </Field>
  );
}

/** Field for the base of a new branch, by default the default branch of the repository. */
export function BaseBranchField(props: Omit<ComponentProps<typeof BranchField>, 'label'>) {
  const { data } = useRepositories();
  const repository = data?.data.find(({ id }) => id === props.repositoryId);
  const placeholder = repository === undefined ? 'Default branch' : `${repository.defaultBranch} (default)`;
  return <BranchField label="Base branch" optional placeholder={placeholder} {...props} />;
}

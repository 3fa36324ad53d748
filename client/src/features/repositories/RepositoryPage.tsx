import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { TextInput } from '../../ui/Field.tsx';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { LoadingPage, Page, Section } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import { CleanUp } from '../worktrees/CleanUp.tsx';
import { WorktreeTable } from '../worktrees/WorktreeTable.tsx';
import { RepositorySettings } from './RepositorySettings.tsx';

/** Worktrees, branches and settings of one repository. */
export function RepositoryPage() {
  const { repositoryId } = useParams({ from: '/repositories/$repositoryId' });
  const { data: repository, error, isPending } = useOperationQuery('repositories.get', { repositoryId });
  if (isPending) return <LoadingPage />;
  if (repository === undefined) {
    return (
      <EmptyState>
        <p>{error?.message}</p>
        <Link className="text-accent underline" to="/repositories">
          All repositories
        </Link>
      </EmptyState>
    );
  }
  const { id, name, path, url } = repository;
  return (
    <Page
      actions={
        <>
          <Button onClick={() => openDialog({ kind: 'createWorktree', repositoryId: id })}>New worktree</Button>
          <Button kind="primary" onClick={() => openDialog({ kind: 'delegate', repositoryId: id })}>
            Delegate work
          </Button>
        </>
      }
      lead={<UntrustedText className="font-mono text-sm" text={url === null ? path : `${path} · ${url}`} />}
      title={<UntrustedLine text={name} />}
    >
      <Section title="Worktrees">
        <WorktreeTable repositoryId={id} />
      </Section>
      <Section
        lead="Worktrees whose work was merged, that were never changed, or whose sessions were archived long ago. Removed worktrees can be restored for 30 days."
        title="Clean up"
      >
        <CleanUp repositoryId={id} />
      </Section>
      <Section
        lead="Commands run in worktrees only if saved here. Files in the repository cannot set them."
        title="Settings"
      >
        <RepositorySettings key={id} repository={repository} />
      </Section>
      <Section title="Branches">
        <BranchList repositoryId={id} />
      </Section>
      <Section
        lead="Removes the repository from the console and keeps its files. First remove the worktrees that the console created."
        title="Remove repository"
      >
        <RemoveRepository repositoryId={id} />
      </Section>
    </Page>
  );
}

function RemoveRepository({ repositoryId }: { repositoryId: string }) {
  const navigate = useNavigate();
  const remove = useOperationMutation('repositories.remove', {
    onSuccess: () => void navigate({ to: '/repositories' }),
  });
  return (
    <div className="flex flex-col items-start gap-3 pb-6">
      <Problem error={remove.error} />
      <div className="flex gap-2">
        <ConfirmButton
          busy={remove.isPending}
          confirm="Remove repository"
          label="Remove repository…"
          onConfirm={() => remove.mutate({ repositoryId })}
        />
      </div>
    </div>
  );
}

/** Maximum branches shown. */
const SHOWN_MAX = 30;
/** The filter is shown only if there are more branches than this. */
const FILTER_FROM = 10;

/** Branches of a repository and where they are checked out. */
function BranchList({ repositoryId }: { repositoryId: string }) {
  const { data, error, isPending } = useOperationQuery('repositories.branches', { repositoryId, limit: PAGE_MAX });
  const [filter, setFilter] = useState('');
  if (isPending) return <Skeleton />;
  const branches = data?.data ?? [];
  const found = branches.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  const hidden = found.length - SHOWN_MAX;
  return (
    <div className="flex flex-col gap-2">
      <Problem error={error} />
      {branches.length > FILTER_FROM ? (
        <TextInput
          aria-label="Filter branches"
          className="md:max-w-80"
          onChange={(event) => setFilter(event.target.value)}
          placeholder={`Filter ${data?.total.toLocaleString()} branches`}
          value={filter}
        />
      ) : null}
      <ul className="divide-y divide-line rounded-lg border border-line empty:hidden">
        {found.slice(0, SHOWN_MAX).map(({ name, sha, remote, worktreePath }) => (
          <li className="flex items-baseline gap-3 px-3 py-1.5" key={name}>
            <UntrustedLine className="flex-1 font-mono text-sm" text={name} />
            <span
              className="min-w-0 max-w-[50%] text-sm text-quiet max-md:hidden"
              title={worktreePath === null ? undefined : escapeHidden(worktreePath)}
            >
              <UntrustedLine text={worktreePath ?? (remote ? 'remote' : '')} />
            </span>
            <span className="shrink-0 font-mono text-sm text-quiet">{sha.slice(0, 8)}</span>
          </li>
        ))}
      </ul>
      {hidden > 0 ? <p className="text-quiet">and {hidden.toLocaleString()} more</p> : null}
      {branches.length === 0 && error === null ? <p className="text-quiet">No branches yet</p> : null}
    </div>
  );
}

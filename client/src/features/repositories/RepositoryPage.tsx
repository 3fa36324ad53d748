import { PRUNABLE_ARCHIVED_DAYS } from '@agent-console/shared/limits/worktrees';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { existing, useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadingPage, Page, Section } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { failureToast } from '../../ui/toasts.ts';
import { UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import { CleanUp } from '../worktrees/CleanUp.tsx';
import { WorktreeTable } from '../worktrees/WorktreeTable.tsx';
import { BranchList } from './BranchList.tsx';
import { RepositorySettings } from './RepositorySettings.tsx';
import { REPOSITORY_TABS } from './repository-tabs.ts';

export function RepositoryPage() {
  const { repositoryId } = useParams({ from: '/repositories/$repositoryId' });
  const { tab = 'worktrees' } = useSearch({ from: '/repositories/$repositoryId' });
  const query = useOperationQuery('repositories.get', { repositoryId });
  const { error, isPending } = query;
  const repository = existing(query);
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
      <nav aria-label="Repository tabs" className="-mt-1 flex gap-1 overflow-x-auto border-b border-line pb-1">
        {REPOSITORY_TABS.map(({ id: tabId, name: tabName }) => (
          <Link
            // The link of the first tab has no search parameters. Without these options, this link would look active on
            // every tab.
            activeOptions={{ exact: true, includeSearch: true }}
            aria-current={tab === tabId ? 'page' : undefined}
            className="flex h-7 shrink-0 items-center rounded-md px-2.5 text-quiet hover:bg-hover aria-[current]:bg-selected aria-[current]:text-text max-md:h-10"
            from="/repositories/$repositoryId"
            key={tabId}
            search={tabId === 'worktrees' ? {} : { tab: tabId }}
            to="."
          >
            {tabName}
          </Link>
        ))}
      </nav>
      {tab === 'worktrees' ? (
        <section aria-label="Worktrees" className="flex flex-col gap-3">
          <h2 className="sr-only">Worktrees</h2>
          <WorktreeTable repositoryId={id} />
        </section>
      ) : null}
      {tab === 'branches' ? (
        <section aria-label="Branches" className="flex flex-col gap-3">
          <h2 className="sr-only">Branches</h2>
          <BranchList repository={repository} />
        </section>
      ) : null}
      {tab === 'cleanup' ? (
        <section aria-label="Clean up" className="flex flex-col gap-3">
          <h2 className="sr-only">Clean up</h2>
          <p className="text-quiet">
            {`Worktrees that were never changed, whose work was merged, or whose sessions were archived more than ${PRUNABLE_ARCHIVED_DAYS} days ago. `}
            Removed worktrees can be restored for 30 days.
          </p>
          <CleanUp repositoryId={id} />
        </section>
      ) : null}
      {tab === 'settings' ? (
        <>
          <section aria-label="Settings" className="flex flex-col gap-3">
            <h2 className="sr-only">Settings</h2>
            <p className="text-quiet">
              In worktrees, the console runs only the commands that are saved here. Files in the repository cannot add
              or change commands.
            </p>
            <RepositorySettings key={id} repository={repository} />
          </section>
          <Section
            lead="Removes the repository from the console and keeps its files. First remove the worktrees that the console created."
            title="Remove repository"
          >
            <RemoveRepository repositoryId={id} />
          </Section>
        </>
      ) : null}
    </Page>
  );
}

function RemoveRepository({ repositoryId }: { repositoryId: string }) {
  const navigate = useNavigate();
  const [path] = useState(() => location.pathname);
  const leave = () => void navigate({ to: '/repositories' });
  const remove = useOperationMutation('repositories.remove', {
    onSuccess: leave,
    // The event about the removal may close this page before the response arrives. This handler is then called instead
    // of `onSuccess`.
    onLateSuccess: () => location.pathname === path && leave(),
    onLateError: failureToast('Could not remove the repository'),
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

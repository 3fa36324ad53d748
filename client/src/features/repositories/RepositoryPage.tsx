import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page, Section } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import { WorktreeTable } from '../worktrees/WorktreeTable.tsx';
import { BranchList } from './BranchList.tsx';
import { RepositorySettings } from './RepositorySettings.tsx';

/** Worktrees, branches and settings of one repository. */
export function RepositoryPage() {
  const { repositoryId } = useParams({ from: '/repositories/$repositoryId' });
  const { data: repository, error, isPending } = useOperationQuery('repositories.get', { repositoryId });
  if (isPending) {
    return (
      <main className="p-6">
        <Skeleton />
      </main>
    );
  }
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
            {' '}
            Delegate work{' '}
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
        lead="Commands run in worktrees only if saved here. Files in the repository cannot set them."
        title="Settings"
      >
        <RepositorySettings key={id} repository={repository} />
      </Section>
      <Section title="Branches">
        <BranchList repositoryId={id} />
      </Section>
      <Section
        lead="Removes the repository from the console and keeps its files. Remove the worktrees that the console created first."
        title="Remove repository"
      >
        <RemoveRepository repositoryId={id} />
      </Section>
    </Page>
  );
}

function RemoveRepository({ repositoryId }: { repositoryId: string }) {
  const navigate = useNavigate();
  const [sure, setSure] = useState(false);
  const remove = useOperationMutation('repositories.remove', {
    onSuccess: () => void navigate({ to: '/repositories' }),
  });
  return (
    <div className="flex flex-col items-start gap-3 pb-6">
      <Problem error={remove.error} />
      <div className="flex gap-2">
        <Button
          busy={remove.isPending}
          kind="danger"
          onClick={() => (sure ? remove.mutate({ repositoryId }) : setSure(true))}
        >
          {sure ? 'Confirm removal' : 'Remove repository'}
        </Button>
        {sure ? <Button onClick={() => setSure(false)}>Cancel</Button> : null}
      </div>
    </div>
  );
}

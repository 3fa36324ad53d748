import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { Repository } from '@agent-console/shared/models/repository';
import { pluralize } from '@agent-console/shared/pluralize';
import { Link } from '@tanstack/react-router';
import { useOperationQuery } from '../../api/operations.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { ShellCommand } from '../../ui/ShellCommand.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { useSessions } from '../sessions/sessions-store.ts';
import { useRepositories } from './RepositoryField.tsx';

export function RepositoriesPage() {
  const { data, error, isPending, refetch } = useRepositories();
  useShortcuts(shortcutsOf(KEYS.repositories, { 'add-repository': () => openDialog({ kind: 'addRepository' }) }));
  const add = (
    <Button kind="primary" onClick={() => openDialog({ kind: 'addRepository' })}>
      Add repository
    </Button>
  );
  if (data?.total === 0) {
    return (
      <main className="h-full">
        <h1 className="sr-only">Repositories</h1>
        <EmptyState>
          <p className="text-text">No repositories yet</p>
          <p>
            Agents work in worktrees of your repositories. Add a repository here, or run this command in your clone of
            Agent Console:
          </p>
          <ShellCommand>npx agent-console repositories create --path /path/to/repository</ShellCommand>
          <div className="pt-1">{add}</div>
        </EmptyState>
      </main>
    );
  }
  return (
    <Page actions={add} title="Repositories">
      <Problem error={error}>
        <Button onClick={() => void refetch()}>Try again</Button>
      </Problem>
      {isPending ? <Skeleton /> : null}
      <ul className="divide-y divide-line rounded-lg border border-line empty:hidden">
        {data?.data.map((repository) => (
          <Row key={repository.id} repository={repository} />
        ))}
      </ul>
    </Page>
  );
}

function Row({ repository: { id, name, path, url, defaultBranch } }: { repository: Repository }) {
  const sessions = useSessions(
    (state) => Object.values(state.sessions).filter((session) => session.repositoryId === id).length,
  );
  const worktrees = useOperationQuery('worktrees.list', { repositoryId: id, limit: PAGE_MAX });
  const count = worktrees.data?.total;
  return (
    <li>
      <Link
        className="grid grid-cols-[1fr_auto] gap-x-4 px-3 py-2.5 first:rounded-t-lg last:rounded-b-lg hover:bg-hover"
        params={{ repositoryId: id }}
        to="/repositories/$repositoryId"
      >
        <span className="flex min-w-0 items-baseline gap-2">
          <UntrustedLine className="font-medium" text={name} />
          <span className="shrink-0 font-mono text-sm text-quiet">{defaultBranch}</span>
        </span>
        <span className="text-right tabular-nums">
          {pluralize(sessions, 'session')}
          <span className="text-quiet max-md:hidden">
            {' '}
            · {count === undefined ? '… worktrees' : pluralize(count, 'worktree')}
          </span>
        </span>
        <UntrustedLine
          className="col-span-2 font-mono text-sm text-quiet"
          text={url === null ? path : `${path} · ${url}`}
        />
      </Link>
    </li>
  );
}

import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { existing, useOperationQuery } from '../../api/operations.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadingPage } from '../../ui/Page.tsx';
import { QueryFallback } from '../../ui/QueryFallback.tsx';
import { Onboarding } from '../sessions/LazyOnboarding.tsx';
import { useSessions } from '../sessions/sessions-store.ts';
import { BoardColumns } from './BoardColumns.tsx';
import { BoardHeader } from './BoardHeader.tsx';
import { BoardList } from './BoardList.tsx';
import { type Column, matchesFilter, stateColumns, zoneColumns } from './columns.ts';
import { HoldCards, useHeldColumns } from './held-columns.ts';
import { boardQuery } from './move.ts';
import { useShownSessions } from './use-cards.ts';

/** Page that shows all sessions by state, or the worktrees in the zones of one board. */
export function BoardsPage() {
  const { boardId } = useParams({ strict: false });
  return boardId === undefined ? <StateBoard /> : <ZoneBoard boardId={boardId} key={boardId} />;
}

function StateBoard() {
  const loaded = useSessions((state) => state.newestLoaded);
  const sessions = useShownSessions();
  const columns = useMemo(() => stateColumns(sessions), [sessions]);
  if (!loaded) return <LoadingPage />;
  return <BoardBody boardId={undefined} columns={columns} empty={sessions.length === 0 ? <Onboarding /> : undefined} />;
}

function ZoneBoard({ boardId }: { boardId: string }) {
  const board = useOperationQuery('boards.get', { boardId });
  const data = existing(board);
  const worktrees = useOperationQuery('boards.worktrees', boardQuery(boardId));
  const sessions = useShownSessions();
  const columns = useMemo(
    () => (data === undefined ? [] : zoneColumns(data, worktrees.data?.data ?? [], sessions)),
    [data, worktrees.data, sessions],
  );
  if (data === undefined || worktrees.data === undefined) {
    return (
      <main className="flex h-full flex-col">
        <h1 className="sr-only">Board</h1>
        <QueryFallback query={data === undefined ? board : worktrees} />
      </main>
    );
  }
  return (
    <BoardBody
      boardId={boardId}
      columns={columns}
      empty={
        data.zones.length === 0 && worktrees.data.total === 0 ? (
          <EmptyState>
            <p className="text-text">This board is empty</p>
            <p>Add zones as columns, then move worktrees into them.</p>
            <button
              className="text-accent underline max-md:py-2.5"
              onClick={() => openDialog({ kind: 'zone', boardId })}
              type="button"
            >
              Add zone
            </button>
          </EmptyState>
        ) : undefined
      }
    />
  );
}

function BoardBody(props: { boardId: string | undefined; columns: readonly Column[]; empty: React.ReactNode }) {
  const { boardId, empty } = props;
  const [columns, holdCards] = useHeldColumns(props.columns);
  const { view } = useSearch({ strict: false });
  const navigate = useNavigate();
  const repositories = useSessions((state) => state.repositories);
  const [filter, setFilter] = useState('');
  const boards = useOperationQuery('boards.list', { limit: PAGE_MAX });
  const shown = useMemo(
    () =>
      filter.trim() === ''
        ? columns
        : columns.map((column) => ({
            ...column,
            cards: column.cards.filter((card) =>
              matchesFilter(
                card,
                filter,
                repositories[card.session?.repositoryId ?? card.worktree?.repositoryId ?? ''] ?? '',
              ),
            ),
          })),
    [columns, filter, repositories],
  );
  const show = (next: 'list' | 'columns') =>
    void navigate({ to: '.', search: next === 'list' ? { view: 'list' } : {}, replace: true });
  return (
    <main className="flex h-full min-w-0 flex-col">
      <BoardHeader
        boardId={boardId}
        boards={boards.data?.data ?? []}
        filter={filter}
        isList={view === 'list'}
        onFilter={setFilter}
        onView={show}
      />
      <div className="min-h-0 flex-1">
        <HoldCards value={holdCards}>
          {empty ??
            (view === 'list' ? (
              <BoardList boardId={boardId} columns={shown} repositories={repositories} />
            ) : (
              <BoardColumns boardId={boardId} columns={shown} repositories={repositories} />
            ))}
        </HoldCards>
      </div>
    </main>
  );
}

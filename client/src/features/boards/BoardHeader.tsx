import type { BoardRow } from '@agent-console/shared/models/board';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { openDialog } from '../../shell/dialogs.ts';
import { useKeyHints } from '../../shell/key-hints.ts';
import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { Button } from '../../ui/Button.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Menu } from '../../ui/Menu.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';

const TAB =
  'flex h-7 max-w-64 shrink-0 items-center rounded-md px-2 text-quiet hover:bg-hover hover:text-text aria-[current=page]:bg-selected aria-[current=page]:text-text max-md:h-10';

/** Header of a board, with a choice of boards, a filter for the cards, and the board's actions. */
export function BoardHeader(props: {
  boardId: string | undefined;
  boards: readonly BoardRow[];
  filter: string;
  isList: boolean;
  onFilter(filter: string): void;
  onView(view: 'list' | 'columns'): void;
}) {
  const { boardId, boards, filter, isList, onFilter, onView } = props;
  const { withKeys } = useKeyHints();
  const field = useRef<HTMLInputElement>(null);
  const board = boards.find(({ id }) => id === boardId);
  useShortcuts(
    shortcutsOf(KEYS.board, {
      'filter-cards': () => field.current?.focus(),
      'show-columns-or-a-list': () => onView(isList ? 'columns' : 'list'),
      'new-board': () => openDialog({ kind: 'board' }),
    }),
  );
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1.5 px-3 py-2 md:px-4">
      <h1 className="sr-only">
        {board === undefined ? 'Board of all sessions by state' : `Board ${isolateText(board.name)}`}
      </h1>
      <nav
        aria-label="Boards"
        className="flex min-w-0 flex-1 items-center gap-0.5 overflow-x-auto [scrollbar-width:none] max-md:basis-full"
      >
        <Link
          activeOptions={{ exact: true, includeSearch: false }}
          aria-current={boardId === undefined ? 'page' : undefined}
          className={TAB}
          to="/boards"
        >
          Sessions by state
        </Link>
        {boards.map(({ id, name }) => (
          <Link
            aria-current={id === boardId ? 'page' : undefined}
            className={TAB}
            key={id}
            params={{ boardId: id }}
            to="/boards/$boardId"
          >
            <UntrustedLine text={name} />
          </Link>
        ))}
        <button
          className={TAB}
          onClick={() => openDialog({ kind: 'board' })}
          title={withKeys('New board', 'new-board')}
          type="button"
        >
          + New board
        </button>
      </nav>
      <input
        aria-label="Filter cards"
        className="h-7 w-48 min-w-0 rounded-md border border-line bg-bg px-2 placeholder:text-quiet max-md:h-10 max-md:flex-1 max-md:text-[16px]"
        onChange={({ target }) => onFilter(target.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key !== 'Escape') return;
          if (filter === '') currentTarget.blur();
          else onFilter('');
        }}
        placeholder="Filter"
        ref={field}
        title={withKeys('Filter cards', 'filter-cards')}
        value={filter}
      />
      <Button
        aria-pressed={isList}
        onClick={() => onView(isList ? 'columns' : 'list')}
        title={withKeys('Switch between columns and list', 'show-columns-or-a-list')}
      >
        {isList ? 'Show columns' : 'Show list'}
      </Button>
      {boardId === undefined ? null : (
        <>
          <Button kind="primary" onClick={() => openDialog({ kind: 'moveToZone', boardId })}>
            Add session…
          </Button>
          <Menu
            groups={[
              [
                { label: 'Add zone…', run: () => openDialog({ kind: 'zone', boardId }) },
                { label: 'Edit board…', run: () => openDialog({ kind: 'board', boardId }) },
                { label: 'Duplicate board…', run: () => openDialog({ kind: 'board', boardId, duplicate: true }) },
              ],
              [{ label: 'Remove board…', danger: true, run: () => openDialog({ kind: 'removeBoard', boardId }) }],
            ]}
            trigger={
              <button
                aria-label="Actions for the board"
                className="h-7 w-8 shrink-0 rounded-md text-lg leading-none text-quiet hover:bg-hover hover:text-text data-popup-open:bg-selected max-md:size-10"
                type="button"
              >
                ⋯
              </button>
            }
          />
        </>
      )}
    </header>
  );
}

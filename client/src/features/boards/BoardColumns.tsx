import { type KeyboardEvent, useRef, useState } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { openDialog } from '../../shell/dialogs.ts';
import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Menu } from '../../ui/Menu.tsx';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { PHONE, useMedia } from '../../ui/use-media.ts';
import { BoardColumn, type ColumnHandle } from './BoardColumn.tsx';
import { cardShortcuts, findCard } from './card-shortcuts.ts';
import { type Column, NO_ZONE } from './columns.ts';
import { moveWorktree } from './move.ts';

/** Columns side by side; on a phone, one column at a time. The arrow keys go from card to card. */
export function BoardColumns(props: {
  columns: readonly Column[];
  boardId: string | undefined;
  repositories: Readonly<Record<string, string>>;
}) {
  const { columns, boardId, repositories } = props;
  const phone = useMedia(PHONE);
  const board = useOperationQuery('boards.get', { boardId: boardId ?? '' }, { enabled: boardId !== undefined });
  const [tab, setTab] = useState<string>();
  const [cursor, setCursor] = useState<string>();
  const handle = useRef(new Map<string, ColumnHandle>());
  const box = useRef<HTMLDivElement>(null);
  const open = columns.find(({ id }) => id === tab) ?? columns.find(({ cards }) => cards.length > 0) ?? columns[0];
  const shown = phone ? columns.filter((column) => column === open) : columns;

  const at = shown.findIndex(({ cards }) => cards.some(({ id }) => id === cursor));
  const row = shown[at]?.cards.findIndex(({ id }) => id === cursor) ?? -1;
  const current = shown[at]?.cards[row];
  const first = shown.find(({ cards }) => cards.length > 0)?.cards[0];
  const focus = (column: number, index: number) => {
    const target = shown[column];
    if (target === undefined || target.cards.length === 0) return;
    const to = Math.max(0, Math.min(target.cards.length - 1, index));
    setCursor(target.cards[to]?.id);
    handle.current.get(target.id)?.focus(to);
  };
  const step = (by: number) => {
    if (current === undefined)
      focus(
        shown.findIndex(({ cards }) => cards.length > 0),
        0,
      );
    else focus(at, row + by);
  };
  const sideways = (by: 1 | -1) => {
    if (current === undefined) return step(0);
    for (let to = at + by; shown[to] !== undefined; to += by) {
      if ((shown[to]?.cards.length ?? 0) > 0) return focus(to, row);
    }
  };
  useShortcuts(
    shortcutsOf(KEYS.board, {
      'next-card': () => step(1),
      'previous-card': () => step(-1),
      'column-to-the-left': () => sideways(-1),
      'column-to-the-right': () => sideways(1),
      ...cardShortcuts(boardId, () => findCard(shown, cursor)),
    }),
  );
  const press = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || !(event.target instanceof HTMLAnchorElement)) return;
    const actions: readonly (readonly [string, () => void])[] = [
      ['ArrowDown', () => step(1)],
      ['ArrowUp', () => step(-1)],
      ['ArrowLeft', () => sideways(-1)],
      ['ArrowRight', () => sideways(1)],
      ['Home', () => focus(at, 0)],
      ['End', () => focus(at, Number.MAX_SAFE_INTEGER)],
    ];
    const run = actions.find(([key]) => key === event.key)?.[1];
    if (run === undefined) return;
    event.preventDefault();
    run();
  };
  const drop = (worktreeId: string, columnId: string, before: string | undefined) => {
    if (worktreeId === before) return;
    const zoneId = columnId === NO_ZONE ? null : columnId;
    if (board.data !== undefined) void moveWorktree(worktreeId, board.data, zoneId, before);
  };
  return (
    <div className="flex h-full min-h-0 flex-col">
      {phone ? (
        <div
          aria-label="Columns"
          className="flex shrink-0 gap-1 overflow-x-auto border-b border-line px-2"
          role="tablist"
        >
          {columns.map(({ id, name, glyph, tone, cards }) => (
            <button
              aria-selected={id === open?.id}
              className="flex h-11 shrink-0 items-center gap-1 border-b-2 border-transparent px-2.5 text-quiet aria-selected:border-text aria-selected:text-text"
              key={id}
              onClick={() => setTab(id)}
              role="tab"
              type="button"
            >
              {glyph === '' ? null : (
                <span aria-hidden className={tone}>
                  {glyph}
                </span>
              )}
              <UntrustedLine text={name} /> <span className="tabular-nums text-quiet">{cards.length}</span>
            </button>
          ))}
        </div>
      ) : null}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys bubble from the cards */}
      <div
        className="flex min-h-0 flex-1 gap-3 overflow-x-auto px-3 pb-3 max-md:flex-col max-md:p-2 md:px-4"
        data-focus-home
        onFocus={({ target }) => {
          const id =
            target instanceof HTMLElement
              ? target.closest('article')?.querySelector<HTMLElement>('[data-card]')?.dataset.card
              : undefined;
          if (id !== undefined) setCursor(id);
        }}
        onKeyDown={press}
        ref={box}
        tabIndex={-1}
      >
        {shown.map((column) => (
          <BoardColumn
            boardId={boardId}
            column={column}
            handle={handle}
            key={column.id}
            menu={
              boardId === undefined || column.id === NO_ZONE ? undefined : (
                <Menu
                  groups={[
                    [
                      { label: 'Rename zone…', run: () => openDialog({ kind: 'zone', boardId, zoneId: column.id }) },
                      {
                        label: 'Remove zone…',
                        danger: true,
                        run: () => openDialog({ kind: 'removeZone', boardId, zoneId: column.id }),
                      },
                    ],
                  ]}
                  trigger={
                    <button
                      aria-label={`Actions for zone ${isolateText(column.name)}`}
                      className="h-7 w-7 rounded-md leading-none text-quiet hover:bg-hover hover:text-text data-popup-open:bg-selected max-md:size-10"
                      type="button"
                    >
                      ⋯
                    </button>
                  }
                />
              )
            }
            onDrop={(worktreeId, before) => drop(worktreeId, column.id, before)}
            reached={current?.id ?? first?.id}
            repositories={repositories}
          />
        ))}
        {boardId === undefined || phone ? null : (
          <button
            className="h-9 shrink-0 rounded-lg px-3 text-quiet hover:bg-hover hover:text-text"
            onClick={() => openDialog({ kind: 'zone', boardId })}
            type="button"
          >
            + Add zone
          </button>
        )}
      </div>
    </div>
  );
}

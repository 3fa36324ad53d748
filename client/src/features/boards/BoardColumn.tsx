import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { escapeHidden } from '../../ui/hidden-characters.ts';
import { focusWhenRendered } from '../../ui/keep-focus.ts';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { BoardCard, type DraggedCard } from './BoardCard.tsx';
import type { Column } from './columns.ts';

/** Estimated height of a card with its gap, before it is measured. */
const CARD_PX = 112;

/** Lets the board scroll to one of the column's cards and focus it. */
export interface ColumnHandle {
  focus(index: number): void;
}

/** A column of a board. Only the visible cards are rendered. */
export function BoardColumn(props: {
  column: Column;
  boardId: string | undefined;
  repositories: Readonly<Record<string, string>>;
  /** Id of the only card that the Tab key reaches. */
  reached: string | undefined;
  handle: RefObject<Map<string, ColumnHandle>>;
  /** Menu in the column's header; undefined if the column has none. */
  menu?: ReactNode;
  /** @param before id of the card above which the worktree was dropped; undefined at the end */
  onDrop(worktreeId: string, before: string | undefined): void;
}) {
  const { column, boardId, repositories, reached, handle, menu, onDrop } = props;
  const { cards } = column;
  const box = useRef<HTMLElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const place = useDropTarget(box, list, boardId !== undefined, onDrop);
  const virtual = useVirtualizer({
    count: cards.length,
    estimateSize: () => CARD_PX,
    gap: 8,
    getItemKey: (index) => cards[index]?.id ?? index,
    getScrollElement: () => scroller.current,
    overscan: 4,
  });
  const controls = useRef<ColumnHandle>(null);
  useImperativeHandle(controls, () => ({
    focus(index) {
      virtual.scrollToIndex(index);
      const id = cards[index]?.id;
      focusWhenRendered(() => scroller.current?.querySelector<HTMLElement>(`[data-card="${id}"]`));
    },
  }));
  useEffect(() => {
    const all = handle.current;
    all.set(column.id, { focus: (index) => controls.current?.focus(index) });
    return () => void all.delete(column.id);
  }, [handle, column.id]);
  return (
    <section
      aria-label={`${escapeHidden(column.name)}, ${cards.length}`}
      className={`flex h-full min-w-0 flex-col rounded-lg bg-sunken md:w-72 md:min-w-56 md:flex-1 md:max-w-96 ${place !== undefined ? 'outline-2 -outline-offset-2 outline-accent' : ''}`}
      data-column={column.id}
      ref={box}
    >
      <header
        className={`flex h-9 shrink-0 items-center gap-1.5 pl-3 pr-1.5 ${menu === undefined ? 'max-md:hidden' : ''}`}
      >
        {column.glyph === '' ? null : (
          <span aria-hidden className={`w-4 text-center ${column.tone}`}>
            {column.glyph}
          </span>
        )}
        <h2 className="min-w-0 font-semibold">
          <UntrustedLine text={column.name} />
        </h2>
        <span className="flex-1 text-sm tabular-nums text-quiet">{cards.length.toLocaleString('en')}</span>
        {menu}
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-2 max-md:pt-2" ref={scroller}>
        {cards.length === 0 ? <p className="px-1 py-2 text-sm text-quiet">{column.empty}</p> : null}
        <ul className="relative" ref={list} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const card = cards[index];
            if (card === undefined) return null;
            return (
              <li
                className="absolute inset-x-0 top-0"
                data-index={index}
                key={key}
                ref={virtual.measureElement}
                style={{ transform: `translateY(${start}px)` }}
              >
                <BoardCard
                  boardId={boardId}
                  card={card}
                  reached={card.id === reached}
                  repository={repositories[card.session?.repositoryId ?? card.worktree?.repositoryId ?? '']}
                />
              </li>
            );
          })}
        </ul>
        {place === undefined || cards.length === 0 ? null : (
          <div className="relative">
            <div className="absolute inset-x-0 h-0.5 rounded bg-accent" style={{ top: place.top }} />
          </div>
        )}
      </div>
    </section>
  );
}

/** Position in a column at which a dragged card would be dropped. */
interface DropPlace {
  /** Id of the card below the position; undefined at the end. */
  before: string | undefined;
  /** Where the drop indicator is drawn, in CSS pixels relative to the bottom edge of the list; usually negative. */
  top: number;
}

/** Accepts dragged cards. Returns the position at which a card that is over the column would be dropped. */
function useDropTarget(
  box: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
  enabled: boolean,
  onDrop: (worktreeId: string, before: string | undefined) => void,
): DropPlace | undefined {
  const [place, setPlace] = useState<DropPlace>();
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(() => {
    if (box.current === null || !enabled) return undefined;
    return dropTargetForElements({
      element: box.current,
      canDrop: ({ source }) => source.data.type === 'card',
      onDrag: ({ location }) => setPlace(placeAt(list.current, location.current.input.clientY)),
      onDragLeave: () => setPlace(undefined),
      onDrop({ source, location }) {
        setPlace(undefined);
        const { before } = placeAt(list.current, location.current.input.clientY);
        latest.current((source.data as DraggedCard).worktreeId, before);
      },
    });
  }, [box, list, enabled]);
  return place;
}

/** Returns the position of a card that is dropped at `y`: above the first card whose middle is below `y`. */
function placeAt(list: HTMLElement | null, y: number): DropPlace {
  const cards = [...(list?.children ?? [])].map((element) => ({ element, box: element.getBoundingClientRect() }));
  const bottom = list?.getBoundingClientRect().bottom ?? 0;
  const next = cards.toSorted((a, b) => a.box.top - b.box.top).find(({ box }) => box.top + box.height / 2 > y);
  const before = next?.element.querySelector<HTMLElement>('[data-card]')?.dataset.card;
  return { before, top: next === undefined ? 2 : next.box.top - bottom - 5 };
}

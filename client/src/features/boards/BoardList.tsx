import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { Age } from '../../ui/Age.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { focusWhenRendered } from '../../ui/keep-focus.ts';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { OverlapMark } from '../overlaps/OverlapMark.tsx';
import { BadgeGlyph, badgeTone } from '../sessions/BadgeGlyph.tsx';
import { CardFacts } from './CardFacts.tsx';
import { CardMenu } from './CardMenu.tsx';
import { CardQuestion } from './CardQuestion.tsx';
import { cardShortcuts, findCard } from './card-shortcuts.ts';
import type { Card, Column } from './columns.ts';

type Row = { kind: 'heading'; column: Column } | { kind: 'card'; card: Card };

const HEADING_PX = 36;
const ROW_PX = 48;

/**
 * The cards of a board in one list, with a heading above the cards of each column. For screen readers and long boards.
 */
export function BoardList(props: {
  columns: readonly Column[];
  boardId: string | undefined;
  repositories: Readonly<Record<string, string>>;
}) {
  const { columns, boardId, repositories } = props;
  const box = useRef<HTMLDivElement>(null);
  const rows = useMemo(
    () =>
      columns.flatMap((column): Row[] => [
        { kind: 'heading', column },
        ...column.cards.map((card): Row => ({ kind: 'card', card })),
      ]),
    [columns],
  );
  const virtual = useVirtualizer({
    count: rows.length,
    estimateSize: (index) => (rows[index]?.kind === 'heading' ? HEADING_PX : ROW_PX),
    getItemKey: (index) => keyOf(rows[index]) ?? index,
    getScrollElement: () => box.current,
    overscan: 10,
  });
  const step = (by: 1 | -1) => {
    const id = focusedCard();
    const from = rows.findIndex((row) => row.kind === 'card' && row.card.id === id);
    let to = from + by;
    while (rows[to]?.kind === 'heading') to += by;
    const row = rows[to];
    if (row?.kind !== 'card') return;
    virtual.scrollToIndex(to);
    focusWhenRendered(() => box.current?.querySelector<HTMLElement>(`[data-card="${row.card.id}"]`));
  };
  useShortcuts(
    shortcutsOf(KEYS.board, {
      'next-card': () => step(1),
      'previous-card': () => step(-1),
      ...cardShortcuts(boardId, () => findCard(columns, focusedCard())),
    }),
  );
  const press = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key] as 1 | -1 | undefined;
    if (by === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    if (!(event.target instanceof HTMLAnchorElement)) return;
    event.preventDefault();
    step(by);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys bubble from the rows
    <div className="h-full overflow-y-auto px-3 pb-3 md:px-4" onKeyDown={press} ref={box}>
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div
              className="absolute inset-x-0 top-0"
              data-index={index}
              key={key}
              ref={virtual.measureElement}
              style={{ transform: `translateY(${start}px)` }}
            >
              {row.kind === 'heading' ? (
                <h2 className="flex items-end gap-1.5 border-b border-line pb-1 pt-3 font-semibold">
                  <span aria-hidden className={row.column.tone}>
                    {row.column.glyph}
                  </span>
                  <UntrustedLine text={row.column.name} />
                  <span className="font-normal tabular-nums text-quiet">{row.column.cards.length}</span>
                </h2>
              ) : (
                <ListRow
                  boardId={boardId}
                  card={row.card}
                  repository={repositories[row.card.session?.repositoryId ?? row.card.worktree?.repositoryId ?? '']}
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function focusedCard(): string | undefined {
  return document.activeElement?.closest('article')?.querySelector<HTMLElement>('[data-card]')?.dataset.card;
}

function keyOf(row: Row | undefined): string | undefined {
  return row?.kind === 'heading' ? `heading ${row.column.id}` : row?.card.id;
}

function ListRow({
  card,
  boardId,
  repository,
}: {
  card: Card;
  boardId: string | undefined;
  repository: string | undefined;
}) {
  const { session, badge, worktree } = card;
  const [hasFocus, setHasFocus] = useState(false);
  const branch = session?.gitState?.ref ?? worktree?.branch;
  const className =
    'min-w-0 flex-1 rounded outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent';
  const state =
    badge === undefined ? null : (
      <>
        {badge.word} <Age since={badge.since} />
      </>
    );
  const tone = badge === undefined ? '' : badgeTone(badge);
  const text = (
    <>
      <UntrustedLine className="font-medium max-md:line-clamp-2 max-md:whitespace-normal" text={card.title} />
      <span className="flex gap-2 text-sm">
        <UntrustedLine className="text-quiet" text={[repository, branch].filter(Boolean).join(' · ')} />
        <span className={`ml-auto shrink-0 md:hidden ${tone}`}>{state}</span>
      </span>
    </>
  );
  return (
    <article
      aria-label={isolateText(card.title)}
      className="relative border-b border-line px-2 hover:bg-hover"
      data-session={session?.id}
      onBlur={() => setHasFocus(false)}
      onFocus={() => setHasFocus(true)}
    >
      <div className="flex min-h-12 items-center gap-2.5 max-md:py-1.5">
        {badge === undefined ? <span className="w-4" /> : <BadgeGlyph badge={badge} />}
        {session === undefined ? (
          <Link
            className={className}
            data-card={card.id}
            params={{ repositoryId: worktree?.repositoryId ?? '' }}
            to="/repositories/$repositoryId"
          >
            {text}
          </Link>
        ) : (
          <Link className={className} data-card={card.id} params={{ sessionId: session.id }} to="/sessions/$sessionId">
            {text}
          </Link>
        )}
        <span className="max-md:hidden">
          <CardFacts card={card} />
        </span>
        {state === null ? null : (
          <span className={`w-28 shrink-0 text-right text-sm max-md:hidden ${tone}`}>{state}</span>
        )}
        <span className="w-28 shrink-0 truncate text-sm text-quiet max-md:hidden">{session?.agentId}</span>
        <span className="w-6 shrink-0 max-md:w-auto max-md:empty:hidden">
          {session === undefined ? null : (
            <OverlapMark className="relative z-10 size-6 max-md:-my-2 max-md:size-10" session={session} />
          )}
        </span>
        <CardMenu boardId={boardId} card={card} reached />
      </div>
      {badge?.kind === 'needs' && session !== undefined ? (
        <div className="max-w-150 pb-2 pl-6.5">
          <CardQuestion hasKeys={hasFocus} sessionId={session.id} />
        </div>
      ) : null}
    </article>
  );
}

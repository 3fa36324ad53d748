import type { InboxGroup } from '@agent-console/shared/models/inbox';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useRef } from 'react';
import { Button } from '../../ui/Button.tsx';
import { useFocusFallback } from '../../ui/keep-focus.ts';
import type { InboxRow, ItemRow } from './inbox-rows.ts';
import { OutcomeRow } from './OutcomeRow.tsx';
import { QuestionCard } from './QuestionCard.tsx';

/** Estimated heights in CSS pixels, until a row is measured. */
const HEADER_PX = 44;
const QUESTION_PX = 190;
const OUTCOME_PX = 37;
/**
 * Maximum number of questions that show the agent's screen, because each screen is polled. The selected question always
 * shows the screen.
 */
const SCREENS_SHOWN = 3;

const GROUPS: Record<InboxGroup, { name: string; glyph: string; tone: string }> = {
  answer: { name: 'Needs an answer', glyph: '▲', tone: 'text-needs' },
  failed: { name: 'Failed', glyph: '⊘', tone: 'text-failed' },
  finished: { name: 'Finished', glyph: '●', tone: 'text-done' },
};

/** List of the inbox. Renders only the visible rows. */
export function InboxList(props: {
  rows: readonly InboxRow[];
  selected: string | undefined;
  opened: string | undefined;
  replying: string | undefined;
  /** Whether keys answer the selected question. */
  hasAnswerKeys: boolean;
  onSelect(row: ItemRow): void;
  onToggle(row: ItemRow): void;
  onOpen(row: ItemRow): void;
  onRead(row: ItemRow): void;
  onReadGroup(group: InboxGroup): void;
  onReply(row: ItemRow, on: boolean): void;
}) {
  const { rows, selected, opened, replying } = props;
  const box = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => {
      const row = rows[index];
      if (row?.type === 'header') return HEADER_PX;
      return row?.item.group === 'answer' ? QUESTION_PX : OUTCOME_PX;
    },
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 6,
    useFlushSync: false,
  });
  useSelectedFocus(box, selected, () => {
    const index = rows.findIndex(({ key }) => key === selected);
    if (index >= 0) virtualizer.scrollToIndex(index, { align: 'auto' });
  });
  const asking = rows.filter((row) => row.type === 'item' && row.item.kind === 'asks');
  const withScreen = new Set([...asking.slice(0, SCREENS_SHOWN).map(({ key }) => key), selected]);
  const items = virtualizer.getVirtualItems();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto [overflow-anchor:none]" data-testid="inbox" ref={box}>
      <div className="relative mx-auto max-w-280 px-3 md:px-8" style={{ height: virtualizer.getTotalSize() + 24 }}>
        <ul
          aria-label="Inbox"
          className="absolute inset-x-3 top-0 md:inset-x-8"
          style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}
        >
          {items.map(({ index, key }) => {
            const row = rows[index];
            if (row === undefined) return null;
            if (row.type === 'header') {
              return (
                <li data-index={index} key={key} ref={virtualizer.measureElement}>
                  <GroupHeader count={row.count} group={row.group} onRead={() => props.onReadGroup(row.group)} />
                </li>
              );
            }
            return (
              <Item
                index={index}
                key={key}
                measure={virtualizer.measureElement}
                onFocus={() => props.onSelect(row)}
                row={row}
              >
                <div className={rowClass(row, row.key === selected)}>
                  {row.item.group === 'answer' ? (
                    <QuestionCard
                      hasKeys={props.hasAnswerKeys && row.key === selected}
                      item={row.item}
                      onOpen={() => props.onOpen(row)}
                      resolved={row.resolved}
                      showsScreen={withScreen.has(row.key)}
                    />
                  ) : (
                    <OutcomeRow
                      isOpen={opened === row.key}
                      item={row.item}
                      onOpen={() => props.onOpen(row)}
                      onRead={() => props.onRead(row)}
                      onReply={(on) => props.onReply(row, on)}
                      onToggle={() => props.onToggle(row)}
                      replying={replying === row.key}
                    />
                  )}
                </div>
              </Item>
            );
          })}
        </ul>
      </div>
    </div>
  );
}

function Item(props: {
  row: ItemRow;
  index: number;
  measure(element: HTMLElement | null): void;
  onFocus(): void;
  children: ReactNode;
}) {
  const { row, index, measure, onFocus, children } = props;
  const element = useRef<HTMLLIElement>(null);
  useFocusFallback(element);
  const attach = useCallback(
    (item: HTMLLIElement | null) => {
      element.current = item;
      measure(item);
    },
    [measure],
  );
  return (
    <li
      className={row.item.group === 'answer' ? 'pb-2 outline-none' : 'outline-none'}
      data-focus-home
      data-index={index}
      data-key={row.key}
      data-session={row.item.sessionId ?? undefined}
      onFocus={onFocus}
      ref={attach}
      tabIndex={-1}
    >
      {children}
    </li>
  );
}

function rowClass({ item, resolved }: ItemRow, isSelected: boolean): string {
  const shape = item.group === 'answer' ? 'rounded-lg border' : 'rounded-md border';
  const line = isSelected
    ? 'border-accent bg-sunken'
    : item.group === 'answer'
      ? 'border-line'
      : 'border-transparent hover:bg-hover';
  return `${shape} ${line} ${resolved ? 'opacity-55' : ''}`;
}

function GroupHeader({ group, count, onRead }: { group: InboxGroup; count: number; onRead(): void }) {
  const { name, glyph, tone } = GROUPS[group];
  return (
    <div className="flex h-11 items-center gap-2 pt-3">
      <h2 className="flex items-baseline gap-2 pl-3 font-semibold">
        <span aria-hidden="true" className={`w-4 text-center ${tone}`}>
          {glyph}
        </span>
        {name} <span className="font-normal text-quiet tabular-nums">{count}</span>
      </h2>
      {group === 'answer' ? null : (
        <Button className="ml-auto" kind="quiet" onClick={onRead}>
          <span>
            Mark <span className="sr-only">{`all ${name.toLowerCase()} `}</span>as read
          </span>
        </Button>
      )}
    </div>
  );
}

/**
 * Scrolls to a newly selected row and moves the focus to it, unless the focus is already within the row or in a field
 * outside the list.
 */
function useSelectedFocus(
  box: React.RefObject<HTMLElement | null>,
  selected: string | undefined,
  reveal: () => void,
): void {
  const pending = useRef<string | undefined>(undefined);
  const before = useRef(selected);
  if (before.current !== selected) {
    before.current = selected;
    pending.current = selected;
  }
  const latest = useRef(reveal);
  latest.current = reveal;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new selection scrolls
  useEffect(() => latest.current(), [selected]);
  // Runs after every render, because the selected row is rendered only after the list has scrolled to it.
  useEffect(() => {
    if (pending.current === undefined) return;
    const row = box.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(pending.current)}"]`);
    if (row == null) return;
    pending.current = undefined;
    const { activeElement } = document;
    const isElsewhere = activeElement !== document.body && box.current?.contains(activeElement) === false;
    const isTyping = isElsewhere && activeElement?.matches('input,textarea') === true;
    if (!row.contains(activeElement) && !isTyping) row.focus({ preventScroll: true });
  });
}

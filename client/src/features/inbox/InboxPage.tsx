import { inboxOrder } from '@agent-console/shared/inbox';
import type { InboxGroup, InboxItem } from '@agent-console/shared/models/inbox';
import { pluralize } from '@agent-console/shared/pluralize';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useKeyHints } from '../../shell/key-hints.ts';
import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadingPage } from '../../ui/Page.tsx';
import { useHeldState } from '../../ui/use-held-state.ts';
import { PHONE, useMedia } from '../../ui/use-media.ts';
import { Onboarding } from '../sessions/LazyOnboarding.tsx';
import { useSessions } from '../sessions/sessions-store.ts';
import { InboxList } from './InboxList.tsx';
import { useInbox } from './inbox-items.ts';
import { type InboxRow, type ItemRow, inboxRows, keyOf } from './inbox-rows.ts';
import { markReadWithUndo, undoRead } from './mark-read.ts';
import { useMarks } from './marks.ts';
import { useOpenItem } from './use-next-need.ts';
import { useShownItems } from './use-shown-items.ts';

/** Inbox page with groups of items: questions to answer, failures, and finished work. */
export function InboxPage() {
  const sessionsLoaded = useSessions((state) => state.newestLoaded);
  const marksLoaded = useMarks((state) => state.loaded);
  return sessionsLoaded && marksLoaded ? <LoadedInbox /> : <LoadingPage />;
}

/** State of the page, which is kept while the person is on another page. */
interface View {
  filter: string;
  selectedItem: InboxItem | undefined;
  /** Key of the row that is expanded. */
  opened: string | undefined;
  /** Key of the row that has a prompt field. */
  replying: string | undefined;
}

const START: View = { filter: '', selectedItem: undefined, opened: undefined, replying: undefined };

function LoadedInbox() {
  const { items, counts } = useInbox();
  const repositories = useSessions((state) => state.repositories);
  const hasSessions = useSessions((state) => state.order.length > 0);
  const phone = useMedia(PHONE);
  const isComplete = useSessions((state) => state.loaded);
  const { shown, newCount, showNew } = useShownItems(items, isComplete);
  const [{ filter, selectedItem, opened, replying }, change] = useHeldState<View>('inbox', START);
  const set = (part: Partial<View>) => change((before) => ({ ...before, ...part }));
  const selected = selectedItem && keyOf(selectedItem);
  /**
   * Whether a person has selected a row since the page was opened. Until then, keys answer no question: a person may
   * press `n` for the next item, but `n` also answers "no".
   */
  const [answerKeysEnabled, setAnswerKeysEnabled] = useState(false);
  const select = (row: ItemRow | undefined) => {
    set({ selectedItem: row?.item });
    setAnswerKeysEnabled(true);
  };
  const { keysOf, withKeys } = useKeyHints();
  const field = useRef<HTMLInputElement>(null);
  const openItem = useOpenItem();
  const rows = useMemo(() => inboxRows(shown, items, filter, repositories), [shown, items, filter, repositories]);
  const itemRows = useMemo(() => rows.filter((row) => row.type === 'item'), [rows]);
  const at = itemRows.findIndex(({ key }) => key === selected);
  const current = itemRows[at];

  // If the selected outcome was read and left the inbox while the person was on another page, selects the next outcome.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the page is opened
  useEffect(() => {
    if (selectedItem === undefined || current !== undefined) return;
    const outcomes = itemRows.filter(({ item }) => item.group !== 'answer');
    select(outcomes.find(({ item }) => inboxOrder(selectedItem, item) <= 0) ?? outcomes.at(-1));
  }, []);

  const step = (by: number) => {
    const next = itemRows[Math.min(itemRows.length - 1, Math.max(0, at + by))];
    if (next !== undefined) select(next);
  };
  const toggle = (row: ItemRow, open = opened !== row.key) => {
    select(row);
    if (row.item.group !== 'answer') set({ opened: open ? row.key : undefined });
  };
  const reply = (row: ItemRow, on: boolean) => {
    if (on) toggle(row, true);
    // Closes the reply field only if it is in this row, because a late response must not close the field in another
    // row.
    change((view) => ({ ...view, replying: on ? row.key : view.replying === row.key ? undefined : view.replying }));
  };
  /**
   * Marks rows as read. If the selected row is among them, or if no row is selected, selects the next row that remains,
   * or else the previous one.
   */
  const read = (marked: readonly ItemRow[], what: string) => {
    const keys = new Set(marked.filter(({ item }) => item.group !== 'answer').map(({ key }) => key));
    const rest = [...itemRows.slice(at + 1), ...itemRows.slice(0, Math.max(0, at)).toReversed()];
    if (selected === undefined || keys.has(selected)) select(rest.find(({ key }) => !keys.has(key)));
    markReadWithUndo(
      itemRows.filter(({ key }) => keys.has(key)).map(({ item }) => item),
      what,
    );
  };
  const readGroup = (group: InboxGroup) => {
    const inGroup = itemRows.filter(({ item }) => item.group === group);
    read(inGroup, countOf(inGroup.length, group));
  };
  const unread = itemRows.filter(({ item }) => item.group !== 'answer');
  const readAll = () => read(unread, countOf(unread.length));
  const answer = () => {
    const row = current ?? itemRows[0];
    if (row === undefined) return;
    select(row);
    if (row.item.group !== 'answer') return reply(row, true);
    rowElement(row.key)?.querySelector<HTMLElement>('[data-answer]')?.focus();
  };
  useShortcuts(
    shortcutsOf(KEYS.inbox, {
      'next-item': () => step(1),
      'previous-item': () => step(-1),
      'open-session': () => current && openItem(current.item),
      'open-in-place': () => current && toggle(current, true),
      close: () => current && toggle(current, false),
      'answer-or-reply': answer,
      'mark-as-read': () => current && read([current], titleOf(current.item)),
      'mark-everything-shown-as-read': readAll,
      'undo-marking-as-read': undoRead,
      filter: () => field.current?.focus(),
    }),
  );

  const all = counts.answer + counts.failed + counts.finished;
  const isEmpty = items.length === 0 && rows.length === 0;
  return (
    <main className="flex h-full flex-col outline-none" data-focus-home tabIndex={-1}>
      <header className="mx-auto flex w-full max-w-280 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 px-3 pt-4 pb-2 md:px-8 md:pt-5">
        <h1 className={isEmpty ? 'sr-only' : 'text-lg font-semibold'}>Inbox</h1>
        {isEmpty ? null : (
          <>
            {newCount > 0 ? (
              <Button kind="primary" onClick={showNew}>
                {`${newCount} new`}
              </Button>
            ) : null}
            <input
              aria-label="Filter by title, text, branch, agent or repository"
              autoComplete="off"
              className="h-7 w-64 min-w-0 flex-1 rounded-md border border-line bg-bg px-2 placeholder:text-quiet max-md:h-10 max-md:text-[16px] md:ml-auto md:flex-none"
              onChange={({ target }) => set({ filter: target.value })}
              onKeyDown={(event) => {
                if (event.key !== 'Escape' && event.key !== 'Enter') return;
                event.preventDefault();
                if (event.key === 'Escape') set({ filter: '' });
                event.currentTarget.blur();
                if (itemRows[0] !== undefined) select(itemRows[0]);
              }}
              placeholder={phone ? 'Filter' : `Filter  ${keysOf('filter') ?? ''}`}
              ref={field}
              spellCheck={false}
              type="search"
              value={filter}
            />
            <Button
              disabled={unread.length === 0}
              onClick={readAll}
              title={withKeys('Mark all shown as read', 'mark-everything-shown-as-read')}
            >
              Mark all as read
            </Button>
          </>
        )}
      </header>
      {isEmpty && !hasSessions ? (
        <Onboarding />
      ) : isEmpty ? (
        <EmptyState>
          <p className="text-text">All caught up</p>
          <p>Questions, results and failures from your agents appear here.</p>
        </EmptyState>
      ) : rows.length === 0 ? (
        <EmptyState>
          <p className="text-text">No results</p>
          <p>
            {all === 1 ? `The only item does not match “${filter}”.` : `None of the ${all} items matches “${filter}”.`}
          </p>
          <Button onClick={() => set({ filter: '' })}>Clear filter</Button>
        </EmptyState>
      ) : (
        <InboxList
          hasAnswerKeys={answerKeysEnabled}
          onOpen={(row) => openItem(row.item)}
          onRead={(row) => read([row], titleOf(row.item))}
          onReadGroup={readGroup}
          onReply={reply}
          onSelect={select}
          onToggle={(row) => toggle(row)}
          opened={opened}
          replying={replying}
          rows={rows satisfies readonly InboxRow[]}
          selected={selected}
        />
      )}
    </main>
  );
}

function rowElement(key: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
}

function titleOf({ title }: InboxItem): string {
  return `“${title.length > 40 ? `${title.slice(0, 39)}…` : title}”`;
}

function countOf(count: number, group?: InboxGroup): string {
  const what = group === 'failed' ? 'failure' : group === 'finished' ? 'result' : 'item';
  return pluralize(count, what);
}

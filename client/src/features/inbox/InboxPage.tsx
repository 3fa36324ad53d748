import { useEffect, useRef, useState } from 'react';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadingPage } from '../../ui/Page.tsx';
import { type Attention, useAttention } from '../sessions/attention.ts';
import { Onboarding } from '../sessions/LazyOnboarding.tsx';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { markSeen } from '../sessions/seen.ts';
import { useSessions } from '../sessions/sessions-store.ts';
import { InboxRow } from './InboxRow.tsx';

const SCREENS_SHOWN = 3;

/** Page with all sessions that need a person, newest first, with controls to answer. */
export function InboxPage() {
  const openSession = useOpenSession();
  const loaded = useSessions((state) => state.loaded);
  const sessionCount = useSessions((state) => Object.keys(state.sessions).length);
  const { rows, newCount, showNew } = useStableList(useAttention());
  const [selected, setSelected] = useState<string>();
  const [replying, setReplying] = useState<string>();
  const list = useRef<HTMLUListElement>(null);
  const askingIds = rows.flatMap(({ need }) => (need.kind === 'asks' ? [need.sessionId] : []));
  const at = rows.findIndex(({ need }) => need.sessionId === selected);

  const rowOf = (id: string | undefined) =>
    [...(list.current?.children ?? [])].find((row) => row instanceof HTMLElement && row.dataset.session === id);
  const step = (by: number) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
    if (next === undefined) return;
    const row = rowOf(next.need.sessionId);
    if (row instanceof HTMLElement) row.focus();
  };
  const open = (sessionId: string | undefined) => {
    if (sessionId !== undefined) openSession(sessionId);
  };
  const answer = (sessionId: string | undefined) => {
    const field = rowOf(sessionId)?.querySelector<HTMLElement>('[data-answer]');
    if (field) field.focus();
    else setReplying(sessionId);
  };
  useShortcuts([
    { keys: 'j', label: 'Next item', run: () => step(1) },
    { keys: 'k', label: 'Previous item', run: () => step(-1) },
    { keys: 'Enter', label: 'Open session', run: () => open(selected) },
    { keys: 'a', label: 'Answer', run: () => answer(selected ?? rows[0]?.need.sessionId) },
    {
      keys: 'm',
      label: 'Mark as read',
      run: () => {
        if (selected === undefined) return;
        markSeen(selected);
        step(1);
      },
    },
  ]);
  if (!loaded) return <LoadingPage />;
  if (rows.length === 0) return <EmptyInbox hasSessions={sessionCount > 0} />;
  return (
    <main className="relative h-full overflow-y-auto">
      <div className="mx-auto max-w-240 px-3 py-4 md:px-8 md:py-6">
        <header className="flex h-8 items-center gap-3">
          <h1 className="flex-1 text-lg font-semibold">Inbox</h1>
          {newCount > 0 ? (
            <Button kind="primary" onClick={showNew}>
              {newCount} new
            </Button>
          ) : null}
        </header>
        <ul className="mt-3 flex flex-col gap-2" ref={list}>
          {rows.map(({ need, resolved }) => (
            <li
              className={`rounded-lg border border-line outline-offset-0 transition-opacity ${resolved ? 'opacity-55' : ''} ${need.sessionId === selected ? 'border-line-strong bg-sunken' : ''}`}
              data-focus-home
              data-session={need.sessionId}
              key={need.sessionId}
              onFocus={() => setSelected(need.sessionId)}
              tabIndex={-1}
            >
              <InboxRow
                isSelected={need.sessionId === selected}
                need={need}
                onOpen={() => open(need.sessionId)}
                onReply={(on) => setReplying(on ? need.sessionId : undefined)}
                resolved={resolved}
                replying={replying === need.sessionId}
                showsScreen={askingIds.indexOf(need.sessionId) < SCREENS_SHOWN || need.sessionId === selected}
              />
            </li>
          ))}
        </ul>
      </div>
    </main>
  );
}

function EmptyInbox({ hasSessions }: { hasSessions: boolean }) {
  return (
    <main className="h-full">
      <h1 className="sr-only">Inbox</h1>
      {hasSessions ? (
        <EmptyState>
          <p className="text-text">All caught up</p>
          <p>Questions, results and failures from your agents appear here.</p>
        </EmptyState>
      ) : (
        <Onboarding />
      )}
    </main>
  );
}

/**
 * Returns the items to show. Resolved items keep their place. New items are delayed until `showNew` is called or all
 * shown items are resolved.
 */
function useStableList(attention: readonly Attention[]) {
  const last = useRef(new Map<string, Attention>());
  for (const each of attention) last.current.set(each.sessionId, each);
  const [order, setOrder] = useState<readonly string[]>(() => attention.map(({ sessionId }) => sessionId));
  const open = new Set(attention.map(({ sessionId }) => sessionId));
  const newCount = attention.filter(({ sessionId }) => !order.includes(sessionId)).length;
  const idle = !order.some((id) => open.has(id));
  const showNew = () => setOrder(attention.map(({ sessionId }) => sessionId));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when every visible item is resolved
  useEffect(() => {
    if (idle && newCount > 0) showNew();
  }, [idle, newCount]);
  const rows = order.flatMap((id) => {
    const need = last.current.get(id);
    return need === undefined ? [] : [{ need, resolved: !open.has(id) }];
  });
  return { rows, newCount: idle ? 0 : newCount, showNew };
}

import { Link } from '@tanstack/react-router';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { TerminalPreview } from '../../terminal/index.tsx';
import { Age } from '../../ui/Age.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import { BadgeGlyph, badgeTone, useSessionBadge } from '../sessions/BadgeGlyph.tsx';
import { sessionName } from '../sessions/badge.ts';
import { useSessions } from '../sessions/sessions-store.ts';
import { type Cell, cellsIn, LIVE_MAX } from './grid-cells.ts';

/** Number of lines from the end of the agent's screen that a cell without a terminal shows. */
const SCREEN_LINES = 18;

/**
 * The terminals of all running agents side by side. The first LIVE_MAX cells contain a terminal; the others show the
 * end of the agent's screen as text.
 */
export function GridPage() {
  const sessions = useSessions((state) => state.sessions);
  const order = useSessions((state) => state.order);
  const loaded = useSessions((state) => state.loaded);
  const before = useRef<readonly string[]>([]);
  const list = useRef<HTMLUListElement>(null);
  const cells = useMemo(() => {
    const next = cellsIn(sessions, order, before.current);
    before.current = next.map(({ session }) => session.id);
    return next;
  }, [sessions, order]);
  const started = useStarted(Math.min(LIVE_MAX, cells.length));
  const step = (by: 1 | -1) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('a') ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    links[Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
  };
  useShortcuts(
    shortcutsOf(KEYS.grid, {
      'next-terminal': () => step(1),
      'previous-terminal': () => step(-1),
    }),
  );
  return (
    <main className="flex h-full flex-col">
      <header className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 border-b border-line px-4 py-1">
        <h1 className="text-lg font-semibold">Grid of terminals</h1>
        <span className="text-quiet tabular-nums">
          {cells.length === 0
            ? ''
            : cells.length > LIVE_MAX
              ? `Agents in terminals: ${cells.length} · ${LIVE_MAX} terminals are updated continuously, the others only when their agents change state`
              : `Agents in terminals: ${cells.length}`}
        </span>
      </header>
      {loaded && cells.length === 0 ? (
        <EmptyState>
          <p className="text-text">No agent is running in a terminal</p>
          <p>The terminals of running agents appear here, side by side.</p>
        </EmptyState>
      ) : (
        <ul
          className="grid min-h-0 flex-1 auto-rows-[244px] grid-cols-[repeat(auto-fill,minmax(min(100%,380px),1fr))] content-start gap-3 overflow-y-auto p-3"
          ref={list}
        >
          {cells.map((cell, index) => (
            <GridCell isLive={index < LIVE_MAX} isStarted={index < started} key={cell.session.id} {...cell} />
          ))}
        </ul>
      )}
    </main>
  );
}

/**
 * Returns how many terminals to render. The number grows by one per frame, because creating all terminals at once would
 * freeze the page.
 */
function useStarted(wanted: number): number {
  const [started, setStarted] = useState(0);
  useEffect(() => {
    if (started >= wanted) return undefined;
    const frame = requestAnimationFrame(() => setStarted(started + 1));
    return () => cancelAnimationFrame(frame);
  }, [started, wanted]);
  return started;
}

const GridCell = memo(function GridCell(props: Cell & { isLive: boolean; isStarted: boolean }) {
  const { session, worker, isLive, isStarted } = props;
  const badge = useSessionBadge(session);
  const needs = badge.kind === 'needs';
  return (
    <li
      data-session={session.id}
      className={`relative flex min-w-0 flex-col overflow-hidden rounded-md border bg-bg focus-within:outline-2 focus-within:outline-accent hover:border-line-strong ${needs ? 'border-needs' : 'border-line'}`}
    >
      <div className="flex h-8 shrink-0 items-center gap-1.5 border-b border-line bg-sunken px-2">
        <BadgeGlyph badge={badge} />
        <Link
          className="min-w-0 flex-1 font-medium outline-none after:absolute after:inset-0 after:z-10"
          params={{ sessionId: session.id }}
          to="/sessions/$sessionId"
        >
          <UntrustedLine text={sessionName(session)} />
        </Link>
        <span className={`shrink-0 text-sm ${badgeTone(badge)}`}>
          {badge.word} <Age since={badge.since} />
        </span>
      </div>
      <div className="relative min-h-0 flex-1" data-live={isLive} inert>
        {isLive ? (
          isStarted && <TerminalPreview fills sessionId={session.id} workerId={worker.id} />
        ) : (
          <ScreenText changed={`${worker.activityState} ${worker.activitySince}`} workerId={worker.id} />
        )}
      </div>
    </li>
  );
});

/** The last lines of an agent's screen. They are fetched again only when the agent's activity changes. */
function ScreenText({ workerId, changed }: { workerId: string; changed: string }) {
  const read = useRef(changed);
  const { data, refetch } = useOperationQuery('workers.screen', { workerId });
  useEffect(() => {
    if (read.current === changed) return;
    read.current = changed;
    void refetch();
  }, [changed, refetch]);
  const text = data?.text.replace(/\s+$/, '').split('\n').slice(-SCREEN_LINES).join('\n') ?? '';
  return (
    <pre className="absolute inset-0 flex flex-col justify-end overflow-hidden px-2 py-1 font-mono text-[9px] leading-[11px] text-quiet">
      <UntrustedText text={text} />
    </pre>
  );
}

import type { Session } from '@agent-console/shared/models/session';
import { type KeyboardEvent, lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { FIRST_PAGE_KEYS } from '../../shell/first-page-keys.ts';
import { LoadErrorBoundary } from '../../shell/LoadErrorBoundary.tsx';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { DelayedFallback } from '../../ui/DelayedFallback.tsx';
import { toast } from '../../ui/toasts.ts';
import { badgeContextOf } from '../inbox/inbox-items.ts';
import { useMarks } from '../inbox/marks.ts';
import { badgeOf, type SessionBadge } from './badge.ts';
import { Onboarding } from './LazyOnboarding.tsx';
import { fold, useLayout } from './layout.ts';
import { useOpenSession } from './page/session-views.ts';
import { useSessions } from './sessions-store.ts';
import { GroupLine, rowElementId, SessionLine } from './TreeRow.tsx';
import { type Row, treeRows } from './tree-rows.ts';
import { useChosen } from './use-chosen.ts';
import { useScrollPosition } from './use-scroll-position.ts';
import { useStableOrder } from './use-stable-order.ts';
import { useVisibleRange } from './use-visible-range.ts';

const BulkBar = lazy(async () => ({ default: (await import('./BulkBar.tsx')).BulkBar }));

/** Row height in CSS pixels; ROW_HEIGHT_TOUCH applies on a phone. */
const ROW_HEIGHT = 40;
const ROW_HEIGHT_TOUCH = 52;
const SKELETON = [60, 45, 70, 50, 65, 40];

/**
 * Preloads the session page when the pointer or focus enters the list, because the person is likely to open a session.
 */
function preload(): void {
  void import('./SessionPage.tsx');
}

/**
 * Tree of all sessions with their badges. The tree itself has the keyboard focus and marks one row as its cursor, so
 * that Tab does not stop at every row.
 */
export function SessionTree(props: {
  selected: string | undefined;
  filter: string;
  /** Called to focus the filter field. */
  onFilter: () => void;
  /** Called before the cursor moves, to show the list if it is hidden. */
  onReveal: () => void;
  phone: boolean;
}) {
  const { selected, filter, onFilter, onReveal, phone } = props;
  const openSession = useOpenSession();
  const { loaded, sessions, order, repositories } = useSessions();
  const foldedList = useLayout(({ folded }) => folded);
  const marks = useMarks();
  const [hovered, setHovered] = useState(false);
  const { shown, waiting, showNew } = useStableOrder(order, hovered, selected);
  const groupBy = useLayout((layout) => layout.groupBy);
  const pinned = useMemo(() => new Set(Object.keys(marks.pinned)), [marks.pinned]);
  const badges = useMemo(() => {
    const known = new WeakMap<Session, SessionBadge>();
    return (session: Session) => {
      const badge = known.get(session) ?? badgeOf(session, badgeContextOf(session.id, marks));
      known.set(session, badge);
      return badge;
    };
  }, [marks]);
  const rows = useMemo(
    () =>
      treeRows({
        order: shown,
        sessions,
        repositories,
        folded: new Set(foldedList),
        filter,
        badgeOf: badges,
        pinned,
        groupBy,
      }),
    [shown, sessions, repositories, foldedList, filter, badges, pinned, groupBy],
  );
  const [cursor, setCursor] = useState(selected);
  const box = useRef<HTMLDivElement>(null);
  const height = phone ? ROW_HEIGHT_TOUCH : ROW_HEIGHT;
  const position = useScrollPosition(box, { rows, height, selected });
  const { range, onScroll } = useVisibleRange(box, rows.length, height);
  // Moves the cursor to a session that was opened outside the tree.
  useEffect(() => {
    if (selected !== undefined) setCursor(selected);
  }, [selected]);

  const at = rows.findIndex(({ id }) => id === cursor);
  const goTo = (index: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (row === undefined || box.current === null) return;
    onReveal();
    setCursor(row.id);
    box.current.focus({ preventScroll: true });
    position.show(rows.indexOf(row));
  };
  const step = (by: number) => goTo(at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by);
  const open = (row: Row | undefined) => {
    if (row?.type === 'group') fold(row.id, row.open);
    else if (row !== undefined) openSession(row.id);
  };
  const isOpen = (row: Row | undefined) => row?.open === true && (row.type === 'group' || row.hasChildren);
  const outward = () => {
    const row = rows[at];
    if (row === undefined) return;
    if (isOpen(row)) fold(row.id, true);
    else if (row.type === 'session') {
      const depth = row.depth;
      goTo(rows.findLastIndex((each, i) => i < at && (each.type === 'group' || each.depth < depth)));
    }
  };
  const inward = () => {
    const row = rows[at];
    if (row === undefined) return;
    if (isOpen(row)) step(1);
    else if (row.type === 'group' || row.hasChildren) fold(row.id, false);
  };
  const chosen = useChosen(rows);
  const togglePin = () => {
    const id = rows[at]?.type === 'session' ? rows[at].id : selected;
    if (id === undefined) return;
    void import('../inbox/pin.ts').then(
      ({ pin }) => pin([id], !pinned.has(id)),
      () => toast({ id: 'pinned', kind: 'failed', title: 'Pinning failed to load', text: 'Reload the page.' }),
    );
  };
  const choose = () => {
    const row = rows[at];
    if (row?.type !== 'session') return;
    chosen.toggle(row.id, false);
    step(1);
  };
  useShortcuts(
    shortcutsOf(FIRST_PAGE_KEYS.sessionList, {
      'choose-session-for-an-action-on-several': choose,
      'pin-or-unpin-session': togglePin,
      'next-session': () => step(1),
      'previous-session': () => step(-1),
      collapse: outward,
      expand: inward,
    }),
  );

  const press = (event: KeyboardEvent) => {
    const actions: readonly (readonly [string, () => void])[] = [
      ['ArrowDown', () => step(1)],
      ['ArrowUp', () => step(-1)],
      ['ArrowLeft', outward],
      ['ArrowRight', inward],
      ['Home', () => goTo(0)],
      ['End', () => goTo(rows.length - 1)],
      ['Enter', () => open(rows[at])],
      ['/', onFilter],
    ];
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const run = actions.find(([key]) => key === event.key)?.[1];
    if (run === undefined) return;
    event.preventDefault();
    run();
  };

  if (!loaded && order.length === 0) {
    return (
      <div aria-busy className="flex-1 p-3">
        <DelayedFallback>
          {SKELETON.map((width) => (
            <div className="my-3 h-3 rounded bg-hover" key={width} style={{ width: `${width}%` }} />
          ))}
        </DelayedFallback>
      </div>
    );
  }
  if (rows.length === 0) {
    const nothing = order.length === 0 ? phone && <Onboarding /> : <p className="p-3 text-quiet">No results</p>;
    return <div className="min-h-0 flex-1">{nothing}</div>;
  }
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        aria-activedescendant={
          at >= range.first && at < range.end && cursor !== undefined ? rowElementId(cursor) : undefined
        }
        aria-label="Sessions"
        className="group @container relative min-h-0 flex-1 overflow-y-auto overflow-x-hidden outline-none [overflow-anchor:none]"
        data-testid="tree"
        onFocus={() => {
          preload();
          if (at < 0) setCursor(selected ?? rows[0]?.id);
        }}
        onKeyDown={press}
        onPointerEnter={({ pointerType }) => {
          preload();
          if (pointerType === 'mouse') setHovered(true);
        }}
        onPointerDown={position.leave}
        onPointerLeave={() => setHovered(false)}
        onScroll={() => {
          position.onScroll();
          onScroll();
        }}
        ref={box}
        role="tree"
        tabIndex={0}
      >
        <div className="relative" style={{ height: rows.length * height }}>
          {rows.slice(range.first, range.end).map((row, offset) => {
            const index = range.first + offset;
            const rowPosition = {
              top: index * height,
              height,
              cursor: row.id === cursor,
              index: index + 1,
              count: rows.length,
              onFold: fold,
              onMark: chosen.toggle,
            };
            if (row.type === 'group') return <GroupLine key={row.id} row={row} {...rowPosition} />;
            return (
              <SessionLine
                key={row.id}
                row={row}
                selected={row.id === selected}
                badge={badges(row.session)}
                marked={chosen.ids.has(row.id)}
                pinned={pinned.has(row.id)}
                {...rowPosition}
              />
            );
          })}
        </div>
      </div>
      <LoadErrorBoundary>
        <Suspense>
          {chosen.ids.size > 0 ? (
            <BulkBar onClear={chosen.clear} onKeep={chosen.keep} sessionIds={[...chosen.ids]} />
          ) : null}
        </Suspense>
      </LoadErrorBoundary>
      {waiting > 0 ? (
        <button
          className="absolute inset-x-0 bottom-2 mx-auto w-fit rounded-full border border-line bg-raised px-3 py-1 max-md:py-2.5 text-sm shadow-raised"
          onClick={showNew}
          type="button"
        >
          {`${waiting} new ↓`}
        </button>
      ) : null}
    </div>
  );
}

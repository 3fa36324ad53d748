import { lazy, Suspense, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { openDialog } from '../../shell/dialogs.ts';
import { FIRST_PAGE_KEYS } from '../../shell/first-page-keys.ts';
import { useKeyHints } from '../../shell/key-hints.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { PHONE, useMedia } from '../../ui/use-media.ts';
import { TREE_MAX, TREE_MIN, updateLayout, useLayout } from './layout.ts';
import { useReviewFocus } from './review-focus.ts';
import { SessionTree } from './SessionTree.tsx';
import { useSessions } from './sessions-store.ts';
import { closeTreeOverlay, useOverlayEnd, useTreeDisplay } from './tree-overlay.ts';

// These components are loaded after the tree, so that the tree appears sooner.
const ResizeHandle = lazy(async () => ({ default: (await import('./ResizeHandle.tsx')).ResizeHandle }));
const TreeFilters = lazy(async () => ({ default: (await import('./TreeFilters.tsx')).TreeFilters }));
const ArchivedSessions = lazy(async () => ({ default: (await import('./ArchivedSessions.tsx')).ArchivedSessions }));

const FOOT = 'h-full px-3 text-sm text-quiet hover:bg-hover hover:text-text aria-pressed:text-text';

/** Session list with filter; resizable and collapsible. */
export function TreePane({ selected }: { selected: string | undefined }) {
  const treeWidth = useLayout((layout) => layout.treeWidth);
  const hints = useKeyHints();
  const display = useTreeDisplay(selected);
  useOverlayEnd(display, selected);
  const phone = useMedia(PHONE);
  const [filter, setFilter] = useState('');
  const [archived, setArchived] = useState(false);
  const hasNothing = useSessions(({ loaded, order }) => loaded && order.length === 0) && !archived;
  const input = useRef<HTMLInputElement>(null);
  const pane = useRef<HTMLElement>(null);
  const isReviewing = useReviewFocus();
  const shown = phone ? selected === undefined : display.isShown && (display.isOverlay || !isReviewing);
  const focusFilter = () => {
    // `flushSync` renders the filter field at once, so that the field can get the focus before the next key press.
    flushSync(display.show);
    input.current?.focus();
  };
  useShortcuts(
    shortcutsOf(FIRST_PAGE_KEYS.sessionList, {
      'show-or-hide-session-list': display.toggle,
      'filter-sessions': ({ target }) => {
        // With an open terminal, `/` opens the terminal's find bar, unless the focus is in the session list.
        const inList = target instanceof Node && pane.current?.contains(target) === true;
        if (document.querySelector('[data-view="terminal"]') === null || inList) focusFilter();
      },
    }),
  );
  return (
    <>
      {display.isOverlay && shown ? (
        <button
          aria-label="Hide session list"
          className="absolute inset-0 z-20 cursor-default bg-[rgb(0_0_0/35%)]"
          onClick={closeTreeOverlay}
          tabIndex={-1}
          type="button"
        />
      ) : null}
      <nav
        aria-label="Sessions"
        ref={pane}
        className={`h-full shrink-0 flex-col border-line bg-sunken max-md:w-full md:border-r ${display.isOverlay ? 'absolute inset-y-0 left-0 z-30 shadow-raised' : 'relative'} ${shown ? 'flex' : 'hidden'}`}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.defaultPrevented || !display.isOverlay) return;
          event.preventDefault();
          closeTreeOverlay();
        }}
        style={phone ? undefined : { width: treeWidth }}
      >
        <div className={`flex h-11 shrink-0 items-center border-b border-line px-2 ${hasNothing ? 'invisible' : ''}`}>
          <input
            aria-label="Filter sessions by title, branch, agent, path, state or label:name"
            autoComplete="off"
            className="h-7 min-w-0 flex-1 rounded-md border border-line bg-bg px-2 placeholder:text-quiet max-md:h-9 max-md:text-[16px]"
            onChange={({ target }) => setFilter(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' && event.key !== 'Enter') return;
              event.preventDefault();
              if (event.key === 'Escape') setFilter('');
              document.querySelector<HTMLElement>('[data-testid="tree"]')?.focus();
            }}
            placeholder={phone ? 'Filter' : `Filter  ${hints.keysOf('filter-sessions') ?? ''}`}
            ref={input}
            spellCheck={false}
            type="search"
            value={filter}
          />
        </div>
        {archived || hasNothing ? null : (
          <Suspense fallback={<div className="h-8 shrink-0 border-b border-line max-md:h-11" />}>
            <TreeFilters filter={filter} onFilter={setFilter} />
          </Suspense>
        )}
        {archived ? (
          <Suspense fallback={<div className="flex-1" />}>
            <ArchivedSessions filter={filter} selected={selected} />
          </Suspense>
        ) : (
          <SessionTree
            filter={filter}
            onFilter={focusFilter}
            onReveal={() => display.isOverlay && flushSync(display.show)}
            phone={phone}
            selected={selected}
          />
        )}
        <div className="flex h-8 shrink-0 items-center justify-between border-t border-line max-md:h-11">
          <button
            className={FOOT}
            onClick={() => openDialog({ kind: 'delegate' })}
            title={hints.withKeys('Delegate work', 'delegate-work')}
            type="button"
          >
            + Delegate
          </button>
          <button aria-pressed={archived} className={FOOT} onClick={() => setArchived(!archived)} type="button">
            {archived ? 'Hide archived' : 'Archived'}
          </button>
        </div>
        <Suspense>
          <ResizeHandle
            label="Resize session list"
            max={TREE_MAX}
            min={TREE_MIN}
            onWidth={(width) => updateLayout({ treeWidth: width })}
            width={treeWidth}
          />
        </Suspense>
      </nav>
    </>
  );
}

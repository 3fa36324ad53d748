import type { InboxCounts } from '@agent-console/shared/models/inbox';
import { Link } from '@tanstack/react-router';
import { shownCount } from '../features/inbox/inbox-items.ts';
import { openDialog } from './dialogs.ts';
import { FIRST_PAGE_KEYS } from './first-page-keys.ts';
import { SearchIcon } from './icons.tsx';
import { effectiveKeys, formatKeys, useKeyOverrides } from './key-overrides.ts';
import { PAGES } from './pages.ts';

const ITEM =
  'relative flex min-h-12 flex-col items-center justify-center gap-0.5 rounded-md text-[11px] leading-4 text-quiet hover:bg-hover hover:text-text max-md:flex-1 md:mx-1';

/** Main navigation, with the number of items in the inbox. */
export function Rail({ counts }: { counts: InboxCounts }) {
  const { overrides } = useKeyOverrides();
  return (
    <nav
      aria-label="Main"
      className="flex shrink-0 border-line bg-sunken max-md:border-t max-md:px-1 max-md:pb-[env(safe-area-inset-bottom)] md:w-14 md:flex-col md:gap-1 md:border-r md:py-2"
    >
      {PAGES.map(({ to, id, name, title, Icon, ...page }) => (
        <Link
          activeProps={{ className: 'bg-selected text-text' }}
          // On a phone, the link to the grid of terminals is hidden, because one terminal fills the page.
          className={'isForDesktop' in page ? `${ITEM} max-md:hidden` : ITEM}
          key={to}
          title={`${title} (${formatKeys(effectiveKeys(id, FIRST_PAGE_KEYS.goTo[id], overrides))})`}
          to={to}
        >
          <Icon />
          {name}
          {to === '/inbox' ? <InboxCount counts={counts} /> : null}
        </Link>
      ))}
      <button
        aria-keyshortcuts="Control+K Meta+K"
        className={`${ITEM} md:mt-auto`}
        onClick={() => openDialog({ kind: 'palette' })}
        title="Search or run a command (Ctrl or ⌘ + K)"
        type="button"
      >
        <SearchIcon />
        Search
      </button>
    </nav>
  );
}

function InboxCount({ counts }: { counts: InboxCounts }) {
  const { count, isWaiting } = shownCount(counts);
  const { answer, failed } = counts;
  if (count === 0) return null;
  const tone = answer > 0 ? 'bg-needs' : failed > 0 ? 'bg-failed' : 'bg-done';
  return (
    <span
      className={`absolute top-0.5 z-1 min-w-4 max-md:left-1/2 max-md:ml-1 md:right-0.5 rounded-full px-1 text-center text-[10px] font-semibold leading-4 text-bg tabular-nums ${tone}`}
    >
      {count > 99 ? '99+' : count}
      <span className="sr-only">{isWaiting ? ' waiting' : ' unread'}</span>
    </span>
  );
}

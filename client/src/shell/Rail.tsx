import { Link } from '@tanstack/react-router';
import { openDialog } from './dialogs.ts';
import { SearchIcon } from './icons.tsx';
import { effectiveKeys, formatKeys, useKeyOverrides } from './key-overrides.ts';
import { PAGES, pageLabel } from './pages.ts';

const ITEM =
  'relative flex min-h-12 flex-col items-center justify-center gap-0.5 rounded-md text-[11px] leading-4 text-quiet hover:bg-hover hover:text-text max-md:flex-1 md:mx-1';

/** Main navigation, with the number of sessions that need a person. */
export function Rail({ waiting }: { waiting: number }) {
  const { overrides } = useKeyOverrides();
  return (
    <nav
      aria-label="Main"
      className="flex shrink-0 border-line bg-sunken max-md:border-t max-md:px-1 max-md:pb-[env(safe-area-inset-bottom)] md:w-14 md:flex-col md:gap-1 md:border-r md:py-2"
    >
      {PAGES.map(({ to, name, keys, Icon, ...page }) => (
        <Link
          activeProps={{ className: 'bg-selected text-text' }}
          // On a phone, the terminal of one session fills the page.
          className={'isForDesktop' in page ? `${ITEM} max-md:hidden` : ITEM}
          key={to}
          title={`${name} (${formatKeys(effectiveKeys(pageLabel(name), keys, overrides))})`}
          to={to}
        >
          <Icon />
          {name}
          {to === '/inbox' && waiting > 0 ? (
            <span className="absolute left-1/2 top-0.5 ml-1 min-w-4 rounded-full bg-needs px-1 text-center text-[10px] font-semibold leading-4 text-bg tabular-nums">
              {waiting > 99 ? '99+' : waiting}
              <span className="sr-only"> waiting</span>
            </span>
          ) : null}
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

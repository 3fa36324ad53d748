import { pluralize } from '@agent-console/shared/pluralize';
import { type KeyboardEvent, useRef } from 'react';
import { useKeyHints } from '../../shell/key-hints.ts';
import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { Button } from '../../ui/Button.tsx';
import { PHONE, useMedia } from '../../ui/use-media.ts';

/** Moves between the turns of a conversation, and searches in it. */
export function ConversationBar(props: {
  turns: number;
  onTurn: (by: 1 | -1) => void;
  query: string;
  onQuery: (query: string) => void;
  /** Number of messages that match. */
  matches: number;
  /** Position of the shown match among all matches, starting at 1; 0 if no match is shown. */
  match: number;
  onMatch: (by: 1 | -1) => void;
  /** Number of earlier messages that are not loaded. The search does not include them. */
  earlier: number;
  onSearchEarlier: () => void;
  loading: boolean;
}) {
  const { turns, onTurn, query, onQuery, matches, match, onMatch, earlier, onSearchEarlier, loading } = props;
  const { keysOf, withKeys } = useKeyHints();
  const phone = useMedia(PHONE);
  const field = useRef<HTMLInputElement>(null);
  useShortcuts(
    shortcutsOf(KEYS.conversation, {
      'next-turn': () => onTurn(1),
      'previous-turn': () => onTurn(-1),
      'search-in-the-conversation': () => field.current?.focus(),
    }),
  );
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onMatch(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') {
      onQuery('');
      field.current?.blur();
      field.current?.closest<HTMLElement>('[data-focus-home]')?.focus({ preventScroll: true });
    } else return;
    event.preventDefault();
  };
  return (
    <search className="flex h-9 shrink-0 items-center gap-1 border-b border-line px-2 max-md:h-auto max-md:min-h-12 max-md:flex-wrap">
      <Button
        aria-label="Previous turn"
        className="max-md:h-11 max-md:w-11"
        disabled={turns === 0}
        kind="quiet"
        onClick={() => onTurn(-1)}
        title={withKeys('Previous turn', 'previous-turn')}
      >
        ↑
      </Button>
      <Button
        aria-label="Next turn"
        className="max-md:h-11 max-md:w-11"
        disabled={turns === 0}
        kind="quiet"
        onClick={() => onTurn(1)}
        title={withKeys('Next turn', 'next-turn')}
      >
        ↓
      </Button>
      <span className="shrink-0 text-sm text-quiet tabular-nums max-md:hidden">{pluralize(turns, 'turn')}</span>
      <span className="flex-1" />
      {query === '' ? null : (
        <>
          {earlier === 0 ? null : (
            <Button busy={loading} className="max-md:order-last max-md:w-full" kind="quiet" onClick={onSearchEarlier}>
              {`Search ${pluralize(earlier, 'earlier message')}`}
            </Button>
          )}
          <span className="shrink-0 text-sm text-quiet tabular-nums" role="status">
            {matches === 0 ? 'No matches' : `${match} of ${matches.toLocaleString('en')}`}
          </span>
        </>
      )}
      <input
        aria-label="Search in the conversation"
        className="h-7 w-52 min-w-0 rounded-md border border-line bg-bg px-2 placeholder:text-quiet max-md:h-10 max-md:w-36 max-md:text-[16px]"
        onChange={({ target }) => onQuery(target.value)}
        onKeyDown={press}
        placeholder={phone ? 'Search' : `Search  ${keysOf('search-in-the-conversation') ?? ''}`}
        ref={field}
        type="search"
        value={query}
      />
    </search>
  );
}

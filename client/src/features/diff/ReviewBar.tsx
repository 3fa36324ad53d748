import { pluralize } from '@agent-console/shared/pluralize';
import type { ReactNode } from 'react';
import { useKeyHints } from '../../shell/key-hints.ts';
import { Button } from '../../ui/Button.tsx';
import { diffTitle } from './diff-title.ts';
import { Counts } from './FileHeader.tsx';
import { useBaseBranch } from './NoChanges.tsx';
import type { Layout } from './rows.ts';
import type { Diff } from './types.ts';
import { totalsOf } from './use-diff.ts';

export function ReviewBar(props: {
  diff: Diff;
  sessionId: string;
  layout: Layout;
  onLayout: (layout: Layout) => void;
  narrow: boolean;
  roomForBoth: boolean;
  whitespace: boolean;
  onWhitespace: (whitespace: boolean) => void;
  onFiles: () => void;
  /** Number of files that are not marked as viewed. */
  unviewed: number;
  onNextUnviewed: () => void;
  /** Whether the focus mode hides the session list and the details. */
  isFocused: boolean;
  onFocus: () => void;
  children: ReactNode;
}) {
  const { diff, layout, onLayout, narrow, roomForBoth, whitespace, onWhitespace, onFiles, children } = props;
  const { unviewed, onNextUnviewed, isFocused, onFocus } = props;
  const { withKeys } = useKeyHints();
  const branch = useBaseBranch(props.sessionId);
  const { count, additions, deletions } = totalsOf(diff);
  const files = pluralize(count, 'file');
  return (
    <header className="flex min-h-10 shrink-0 items-center gap-x-3 gap-y-1.5 border-b border-line px-3 py-1.5 max-md:flex-wrap">
      {narrow ? (
        <Button onClick={onFiles} title="Show file list">
          {files}
        </Button>
      ) : (
        <span className="shrink-0 font-medium">{files}</span>
      )}
      <Counts additions={additions} deletions={deletions} label />
      <span className="min-w-0 flex-1 truncate text-quiet max-md:hidden" title={`Compared with commit ${diff.baseSha}`}>
        {diffTitle(diff, branch)}
      </span>
      <span className="flex-1 md:hidden" />
      {unviewed === 0 ? null : (
        <Button
          onClick={onNextUnviewed}
          title={withKeys('Go to the next file that is not viewed', 'next-file-that-is-not-viewed')}
        >
          Next unviewed <span className="tabular-nums text-quiet">{unviewed}</span>
        </Button>
      )}
      <button
        aria-pressed={isFocused}
        className="h-7 shrink-0 rounded-md border border-line px-2 text-quiet hover:bg-hover aria-pressed:bg-selected aria-pressed:text-text max-md:hidden"
        onClick={onFocus}
        title={withKeys('Hide session list and details', 'focus-mode-hide-session-list-and-details')}
        type="button"
      >
        Focus
      </button>
      {!narrow && (
        <>
          <button
            aria-pressed={!whitespace}
            className="h-7 shrink-0 rounded-md border border-line px-2 text-quiet hover:bg-hover aria-pressed:bg-selected aria-pressed:text-text"
            onClick={() => onWhitespace(!whitespace)}
            title={withKeys('Hide whitespace changes', 'show-or-hide-whitespace-changes')}
            type="button"
          >
            Hide whitespace
          </button>
          {roomForBoth && (
            <fieldset aria-label="Layout" className="flex shrink-0 rounded-md border border-line">
              {(['unified', 'split'] as const).map((each) => (
                <button
                  aria-pressed={layout === each}
                  className="h-6.5 px-2 text-quiet first:rounded-l-md last:rounded-r-md hover:bg-hover aria-pressed:bg-selected aria-pressed:text-text"
                  key={each}
                  onClick={() => onLayout(each)}
                  title={withKeys('Switch between unified and split view', 'switch-between-unified-and-split')}
                  type="button"
                >
                  {each === 'unified' ? 'Unified' : 'Split'}
                </button>
              ))}
            </fieldset>
          )}
        </>
      )}
      {children}
    </header>
  );
}

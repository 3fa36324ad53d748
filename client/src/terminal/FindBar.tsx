import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { type Emulator, MATCHES_MAX } from './emulator.ts';
import { BarButton } from './StatusBar.tsx';
import { searchColours } from './theme.ts';

/** Search field of a terminal. It covers a corner of the terminal, so that opening it does not shift the layout. */
export function FindBar({ emulator, onClose }: { emulator: Emulator; onClose: () => void }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState({ resultIndex: -1, resultCount: 0 });
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => {
    field.current?.focus();
    const listening = emulator.search.onDidChangeResults(setFound);
    return () => {
      listening.dispose();
      emulator.search.clearDecorations();
    };
  }, [emulator]);

  function find(term: string, back: boolean, incremental: boolean): void {
    setText(term);
    if (term === '') {
      emulator.search.clearDecorations();
      setFound({ resultIndex: -1, resultCount: 0 });
      return;
    }
    const options = { decorations: searchColours(), incremental };
    // Typing and Enter search backwards, because the newest output is the most important.
    if (back) emulator.search.findPrevious(term, options);
    else emulator.search.findNext(term, options);
  }

  function press(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === 'Escape') onClose();
    else if (event.key === 'Enter') find(text, !event.shiftKey, false);
    else return;
    event.preventDefault();
  }

  return (
    <search className="absolute top-2 right-5 z-20 flex h-8 max-md:h-11 max-w-[calc(100%-28px)] items-center gap-1 rounded-md border border-line bg-raised pr-1 pl-2 shadow-raised">
      <input
        aria-label="Find in terminal"
        autoComplete="off"
        className="w-44 min-w-0 bg-transparent text-text outline-none placeholder:text-quiet"
        onChange={(event) => find(event.target.value, true, true)}
        onKeyDown={press}
        placeholder="Find"
        ref={field}
        spellCheck={false}
        value={text}
      />
      <span aria-live="polite" className="min-w-16 text-right text-quiet text-sm tabular-nums">
        {text === '' ? '' : countOf(found)}
      </span>
      <BarButton aria-label="Previous match" onClick={() => find(text, true, false)} title="Previous match (Enter)">
        ↑
      </BarButton>
      <BarButton aria-label="Next match" onClick={() => find(text, false, false)} title="Next match (Shift+Enter)">
        ↓
      </BarButton>
      <BarButton aria-label="Close" onClick={onClose} title="Close (Esc)">
        ×
      </BarButton>
    </search>
  );
}

function countOf({ resultIndex, resultCount }: { resultIndex: number; resultCount: number }): string {
  if (resultCount === 0) return 'No results';
  const all = resultCount >= MATCHES_MAX ? `${MATCHES_MAX}+` : String(resultCount);
  return resultIndex < 0 ? all : `${resultIndex + 1} of ${all}`;
}

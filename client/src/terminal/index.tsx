import { lazy, Suspense } from 'react';
import { loadTerminal } from './load.ts';
import type { TerminalPaneProps } from './TerminalPane.tsx';

export type { TerminalFocus } from './TerminalPane.tsx';

const Pane = lazy(async () => ({ default: (await loadTerminal()).TerminalPane }));

const Preview = lazy(async () => ({ default: (await import('./TerminalPreview.tsx')).TerminalPreview }));

/** Read-only live preview of one worker's terminal. Its code is loaded on first use. */
export function TerminalPreview(props: { sessionId: string; workerId: string; fills?: boolean }) {
  return (
    <Suspense fallback={props.fills ? null : <div className="h-15 border-t border-line" />}>
      <Preview {...props} />
    </Suspense>
  );
}

/** Terminal of one worker. Its code is loaded on first use; the placeholder already has the final size. */
export function TerminalPane(props: TerminalPaneProps) {
  return (
    <Suspense
      fallback={
        <div className="flex h-full flex-col bg-bg">
          <div className="flex-1" />
          <div className="h-7 max-md:h-10 border-t border-line bg-sunken" />
        </div>
      }
    >
      <Pane {...props} />
    </Suspense>
  );
}

import { lazy, Suspense } from 'react';
import type { TerminalPaneProps } from './TerminalPane.tsx';

const load = () => import('./TerminalPane.tsx');
const Pane = lazy(async () => ({ default: (await load()).TerminalPane }));

/** Fetches what terminals need before one is asked for. */
export function preloadTerminal(): void {
  void load();
}

/** The terminal of one worker, whose program is fetched at its first use; its box has its size from the start. */
export function TerminalPane(props: TerminalPaneProps) {
  return (
    <Suspense
      fallback={
        <div className="flex h-full flex-col bg-bg">
          <div className="flex-1" />
          <div className="h-7 border-t border-line bg-sunken" />
        </div>
      }
    >
      <Pane {...props} />
    </Suspense>
  );
}

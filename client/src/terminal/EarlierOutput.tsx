import { DASHBOARD_HISTORY_LINES, DASHBOARD_HISTORY_STEP_BYTES } from '@agent-console/shared/limits/dashboard';
import { useEffect, useRef, useState } from 'react';
import type { Emulator } from './emulator.ts';
import { type HistoryPosition, HistoryTerminal } from './history-terminal.ts';
import type { LiveTerminal } from './live-terminal.ts';
import { BAR, BarButton, FindButton } from './StatusBar.tsx';

/** Button that loads earlier output. Floats over the oldest loaded line while that line is visible. */
export function EarlierButton({ busy = false, onClick }: { busy?: boolean; onClick?: () => void }) {
  return (
    <button
      aria-busy={busy}
      className="absolute top-2 left-1/2 z-10 h-7 max-md:h-10 -translate-x-1/2 rounded-md border border-line bg-raised px-2.5 font-medium shadow-raised hover:bg-hover disabled:text-quiet"
      disabled={busy}
      onClick={onClick}
      type="button"
    >
      {busy ? 'Loading…' : '↑ Earlier output'}
    </button>
  );
}

/**
 * Older output, shown over the live terminal and initially scrolled to the same line as the live terminal. Closes when
 * the user scrolls to the end.
 */
export function EarlierOutput(props: {
  terminal: LiveTerminal;
  /** Called with the emulator of the earlier output once it is shown, so that the find bar searches it. */
  onShown: (emulator: Emulator) => void;
  onClose: () => void;
  finding: boolean;
  onFind: () => void;
}) {
  const { terminal, onShown, onClose } = props;
  const box = useRef<HTMLDivElement>(null);
  const isSearched = useRef(props.finding);
  isSearched.current = props.finding;
  const [shown, setShown] = useState<HistoryTerminal>();
  const [reading, setReading] = useState<{ back: number; position: HistoryPosition }>();
  const [isAtStart, setAtStart] = useState(false);
  const [problem, setProblem] = useState<string>();

  useEffect(
    () => terminal.position((position) => setReading({ back: DASHBOARD_HISTORY_STEP_BYTES, position })),
    [terminal],
  );

  useEffect(() => {
    if (reading === undefined) return;
    let wasAway = false;
    const next: HistoryTerminal = new HistoryTerminal(terminal, reading.back, reading.position, {
      onReady() {
        setShown(next);
        setReading(undefined);
      },
      onScrolled({ start, end }) {
        setAtStart(start);
        // Scrolling back to the end closes the earlier output, except while the find bar is open, because a search may
        // scroll to the end.
        if (end && wasAway && !isSearched.current) onClose();
        wasAway ||= !end;
      },
      onLink: (address) => terminal.state.set({ question: { kind: 'link', address } }),
      onLeave: onClose,
      onFailed: (reason) => {
        setProblem(reason);
        setReading(undefined);
      },
    });
    if (box.current !== null) next.show(box.current);
    return () => {
      if (!next.isReady) next.dispose();
    };
  }, [reading, terminal, onClose]);

  useEffect(() => {
    if (shown === undefined) return;
    onShown(shown.emulator);
    return () => shown.dispose();
  }, [shown, onShown]);

  const further = shown?.further;
  return (
    <div className={`absolute inset-0 z-10 flex flex-col ${shown === undefined ? 'pointer-events-none' : ''}`}>
      <div className="relative min-h-0 flex-1 overflow-hidden">
        <div className="absolute inset-0" ref={box} />
        {reading !== undefined && <EarlierButton busy />}
        {reading === undefined && isAtStart && shown !== undefined && further !== undefined && (
          <EarlierButton onClick={() => setReading({ back: further, position: shown.position() })} />
        )}
      </div>
      {(shown !== undefined || problem !== undefined) && (
        <div className={`${BAR} pointer-events-auto`}>
          <p className="min-w-0 flex-1 truncate" role="status">
            {problem !== undefined ? <span className="text-failed">⊘ {problem}</span> : shown && whatIsShown(shown)}
          </p>
          <BarButton onClick={onClose} title="Back to live output (Esc, or scroll to the end)">
            ↓ Back to live output
          </BarButton>
          <FindButton onClick={props.onFind} pressed={props.finding} />
        </div>
      )}
    </div>
  );
}

function whatIsShown(history: HistoryTerminal): string {
  if (history.isFull) {
    const lines = DASHBOARD_HISTORY_LINES.toLocaleString();
    return `Earlier output, limited to ${lines} lines · run npx agent-console workers output ${history.workerId} to see all output`;
  }
  return history.further === undefined ? 'Earlier output, from the beginning of the stored output' : 'Earlier output';
}

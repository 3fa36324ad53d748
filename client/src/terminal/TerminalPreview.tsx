import { useEffect, useRef } from 'react';
import { LiveTerminal } from './live-terminal.ts';

/** Live screen of a worker's terminal. It cannot be typed into, and never resizes the terminal. */
export function TerminalPreview({ sessionId, workerId }: { sessionId: string; workerId: string }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current === null) return undefined;
    const terminal = new LiveTerminal(sessionId, workerId, { watchOnly: true });
    terminal.show(box.current, () => {});
    return () => terminal.dispose();
  }, [sessionId, workerId]);
  return <div className="relative h-70 overflow-hidden border-t border-line" ref={box} />;
}

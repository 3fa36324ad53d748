import { useEffect, useRef } from 'react';
import { LiveTerminal } from './live-terminal.ts';

/** Maximum height of the preview in pixels. It is lower if the terminal contains less text. */
const HEIGHT_MAX = 280;
const HEIGHT_MIN = 60;
const PADDING_PX = 10;

/**
 * Live preview of the last lines of a worker's terminal. It is read-only and never changes the terminal's size: its
 * font shrinks until the lines fit.
 * @param props.fills whether it fills its container instead of growing with its text
 */
export function TerminalPreview(props: { sessionId: string; workerId: string; fills?: boolean }) {
  const { sessionId, workerId, fills = false } = props;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const terminal = new LiveTerminal(sessionId, workerId, { watchOnly: true });
    const { emulator } = terminal;
    const follow = emulator.terminal.onRender(() => {
      const written = emulator.writtenHeight() + PADDING_PX;
      const height = fills ? element.clientHeight : Math.min(HEIGHT_MAX, Math.max(HEIGHT_MIN, written));
      if (!fills) element.style.height = `${height}px`;
      emulator.host.scrollTop = Math.max(0, written - height);
    });
    terminal.show(element, () => {});
    return () => {
      follow.dispose();
      terminal.dispose();
    };
  }, [sessionId, workerId, fills]);
  const shape = fills ? 'absolute inset-0' : 'relative h-15 border-t border-line';
  return <div className={`terminal-preview overflow-hidden ${shape}`} ref={box} />;
}

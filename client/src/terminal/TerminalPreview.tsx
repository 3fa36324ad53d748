import { useEffect, useRef } from 'react';
import { observeSize } from '../ui/element-size.ts';
import { LiveTerminal } from './live-terminal.ts';

/**
 * Maximum height of the preview in pixels. With less text in the terminal, the height is smaller, but at least
 * HEIGHT_MIN.
 */
const HEIGHT_MAX = 280;
const HEIGHT_MIN = 60;
const PADDING_PX = 10;

/**
 * Read-only live preview of the last lines of a worker's terminal. The preview never resizes the terminal. Instead, the
 * font of the preview shrinks until the lines fit.
 * @param props.fills whether the preview fills its container; otherwise, its height follows its text
 */
export function TerminalPreview(props: { sessionId: string; workerId: string; fills?: boolean }) {
  const { sessionId, workerId, fills = false } = props;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const terminal = new LiveTerminal(sessionId, workerId, { watchOnly: true });
    const { emulator } = terminal;
    let boxHeight = element.clientHeight;
    let shown: { height: number; top: number } | undefined;
    // This function runs each time the terminal is rendered. It must be fast, so it does not measure the page, and
    // writes only styles that have changed.
    const place = () => {
      const written = emulator.writtenHeight() + PADDING_PX;
      const height = fills ? boxHeight : Math.min(HEIGHT_MAX, Math.max(HEIGHT_MIN, written));
      const top = Math.round(Math.max(0, written - height));
      if (shown?.height === height && shown.top === top) return;
      shown = { height, top };
      if (!fills) element.style.height = `${height}px`;
      if (emulator.terminal.element !== undefined) emulator.terminal.element.style.translate = `0 ${-top}px`;
    };
    const stopObserving = observeSize(element, () => {
      boxHeight = element.clientHeight;
      place();
    });
    const follow = emulator.terminal.onRender(place);
    terminal.show(element, () => {});
    return () => {
      stopObserving();
      follow.dispose();
      terminal.dispose();
    };
  }, [sessionId, workerId, fills]);
  const shape = fills ? 'absolute inset-0 contain-strict' : 'relative h-15 border-t border-line';
  return <div className={`terminal-preview overflow-hidden ${shape}`} ref={box} />;
}

import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import type { Emulator } from './emulator.ts';

const EDGE_PX = 8;

/**
 * Keeps the last written lines of a terminal visible while a part of the terminal is covered. The mouse wheel scrolls
 * to the part that is not visible.
 */
export function useCoveredView(view: RefObject<HTMLElement | null>, emulator: Emulator, coveredPx: number): void {
  const left = useRef(false);
  const isLow = coveredPx > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the visible part depends on the height
  useLayoutEffect(() => {
    const element = view.current;
    if (element === null) return undefined;
    const follow = () => {
      if (left.current) return;
      const end = emulator.writtenHeight() + EDGE_PX;
      element.scrollTop = isLow ? Math.max(0, end - element.clientHeight) : 0;
    };
    follow();
    if (!isLow) return undefined;
    const rendered = emulator.terminal.onRender(follow);
    return () => rendered.dispose();
  }, [view, emulator, coveredPx]);
  useEffect(() => {
    const element = view.current;
    if (element === null || !isLow) return undefined;
    left.current = false;
    const onWheel = (event: WheelEvent) => {
      const { baseY, viewportY } = emulator.terminal.buffer.active;
      if (event.deltaY > 0 && viewportY < baseY) return;
      const before = element.scrollTop;
      element.scrollTop += event.deltaY;
      if (element.scrollTop === before) return;
      left.current = true;
      event.preventDefault();
      event.stopPropagation();
    };
    element.addEventListener('wheel', onWheel, { capture: true, passive: false });
    return () => element.removeEventListener('wheel', onWheel, { capture: true });
  }, [view, emulator, isLow]);
}

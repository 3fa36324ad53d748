import { type RefObject, useCallback, useLayoutEffect, useState } from 'react';
import { observeSize } from '../../ui/element-size.ts';

/** Number of rows that are rendered beyond each edge, so that fast scrolling shows no gap. */
const OVERSCAN = 12;

/**
 * Returns which rows of a scrolling list with constant row height to render: the index of the first row, and the index
 * after the last row.
 */
export function useVisibleRange(box: RefObject<HTMLElement | null>, count: number, rowHeight: number) {
  const [range, setRange] = useState({ first: 0, end: 0 });
  const update = useCallback(() => {
    const element = box.current;
    if (element === null) return;
    const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - OVERSCAN);
    const end = Math.min(count, Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + OVERSCAN);
    setRange((before) => (before.first === first && before.end === end ? before : { first, end }));
  }, [box, count, rowHeight]);
  useLayoutEffect(() => {
    update();
    return box.current === null ? undefined : observeSize(box.current, update);
  }, [update, box]);
  return { range: { first: range.first, end: Math.min(range.end, count) }, onScroll: update };
}

import { type RefObject, useCallback, useLayoutEffect, useState } from 'react';

/** Rows drawn beyond each edge, so that a fast scroll meets no gap. */
const BEYOND = 12;

/** Onboarding row drawn, and the first that is not any more. */
export interface Range {
  first: number;
  end: number;
}

/** The rows of a list of constant row height that are in sight of its scrolling box; changes only when they do. */
export function useVisibleRange(box: RefObject<HTMLElement | null>, count: number, rowHeight: number) {
  const [range, setRange] = useState<Range>({ first: 0, end: 0 });
  const look = useCallback(() => {
    const element = box.current;
    if (element === null) return;
    const first = Math.max(0, Math.floor(element.scrollTop / rowHeight) - BEYOND);
    const end = Math.min(count, Math.ceil((element.scrollTop + element.clientHeight) / rowHeight) + BEYOND);
    setRange((before) => (before.first === first && before.end === end ? before : { first, end }));
  }, [box, count, rowHeight]);
  useLayoutEffect(() => {
    look();
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [look, box]);
  return { range: { first: range.first, end: Math.min(range.end, count) }, onScroll: look };
}

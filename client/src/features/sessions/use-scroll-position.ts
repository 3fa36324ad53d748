import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react';
import { observeSize } from '../../ui/element-size.ts';
import type { Row } from './tree-rows.ts';

/**
 * Manages the scroll position of a list with constant row height. When rows are added or removed, keeps the first
 * visible row in place. Scrolls to a newly selected row, and keeps it visible until the user scrolls it out of view or
 * uses the list. Must be called before the hook that computes the visible range, because that hook reads the scroll
 * position.
 */
export function useScrollPosition(
  box: RefObject<HTMLElement | null>,
  { rows, height, selected }: { rows: readonly Row[]; height: number; selected: string | undefined },
) {
  const before = useRef(rows);
  const follows = useRef(false);
  const followed = useRef<string | undefined>(undefined);
  const index = selected === undefined ? -1 : rows.findIndex(({ id }) => id === selected);

  useLayoutEffect(() => {
    const element = box.current;
    const old = before.current;
    before.current = rows;
    if (followed.current !== selected) {
      followed.current = selected;
      follows.current = true;
    }
    if (element === null) return undefined;
    if (old !== rows) keepInPlace(element, old, rows, height);
    const follow = () => {
      if (follows.current && index >= 0) reveal(element, index, height);
    };
    follow();
    return observeSize(element, follow);
  }, [box, rows, height, selected, index]);

  const onScroll = useCallback(() => {
    if (box.current !== null && index >= 0) follows.current = isShown(box.current, index, height);
  }, [box, index, height]);
  /**
   * Stops following the selected row when the user clicks in the list or moves its keyboard cursor, so that rows do not
   * move under the pointer.
   */
  const leave = useCallback(() => {
    follows.current = false;
  }, []);
  const show = (at: number) => {
    leave();
    if (box.current !== null) reveal(box.current, at, height);
  };
  return { show, onScroll, leave };
}

/** Whether a row is fully visible. Tolerates a pixel, because browsers round scroll positions. */
function isShown({ scrollTop, clientHeight }: HTMLElement, index: number, height: number): boolean {
  return index * height >= scrollTop - 1 && (index + 1) * height <= scrollTop + clientHeight + 1;
}

/** Scrolls as little as necessary to make a row fully visible. */
function reveal(box: HTMLElement, index: number, height: number): void {
  const top = index * height;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
}

/** Scrolls so that the first visible row does not move when rows are added or removed. */
function keepInPlace(box: HTMLElement, old: readonly Row[], rows: readonly Row[], height: number): void {
  if (box.scrollTop < height) return;
  const first = Math.floor(box.scrollTop / height);
  const id = old[first]?.id;
  const now = rows.findIndex((row) => row.id === id);
  if (now >= 0 && now !== first) box.scrollTop += (now - first) * height;
}

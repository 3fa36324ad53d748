import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react';
import type { Row } from './tree-rows.ts';

/**
 * Where a list of constant row height is scrolled to. The selected row is brought whole into sight when it was selected
 * elsewhere, and stays there while rows come, go or change their order and while the box changes its size, until someone
 * scrolls away from it. Otherwise rows that come or go above the first one in sight move nothing that is in sight.
 * To be called before whatever looks which rows are in sight.
 */
export function useScrollPosition(
  box: RefObject<HTMLElement | null>,
  { rows, height, selected }: { rows: readonly Row[]; height: number; selected: string | undefined },
): {
  /** Shows a row whole, which someone moved to. */
  show(index: number): void;
  /** Somebody scrolled. */
  onScroll(): void;
  /** Somebody is about to use the list: nothing may move by itself below the pointer. */
  leave(): void;
} {
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
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, rows, height, selected, index]);

  const onScroll = useCallback(() => {
    if (box.current !== null && index >= 0) follows.current = isShown(box.current, index, height);
  }, [box, index, height]);
  const leave = useCallback(() => {
    follows.current = false;
  }, []);
  const show = (at: number) => {
    leave();
    if (box.current !== null) reveal(box.current, at, height);
  };
  return { show, onScroll, leave };
}

/** Whether a row is whole in sight; browsers round to a pixel where a list can be scrolled to. */
function isShown({ scrollTop, clientHeight }: HTMLElement, index: number, height: number): boolean {
  return index * height >= scrollTop - 1 && (index + 1) * height <= scrollTop + clientHeight + 1;
}

/** Scrolls as little as shows a row whole. */
function reveal(box: HTMLElement, index: number, height: number): void {
  const top = index * height;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
}

/** Scrolls so that the first row in sight stays where it is. */
function keepInPlace(box: HTMLElement, old: readonly Row[], rows: readonly Row[], height: number): void {
  if (box.scrollTop < height) return;
  const first = Math.floor(box.scrollTop / height);
  const id = old[first]?.id;
  const now = rows.findIndex((row) => row.id === id);
  if (now >= 0 && now !== first) box.scrollTop += (now - first) * height;
}

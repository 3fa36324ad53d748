import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';
import { focusPageIfLost, isFocusLost } from './focus.ts';

/**
 * On unmount, returns the focus to the element that had it on mount, or to the page. Does nothing if another element
 * has taken the focus.
 */
export function useFocusReturn(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      setTimeout(() => {
        if (!isFocusLost()) return;
        if (before instanceof HTMLElement && before.isConnected) before.focus();
        focusPageIfLost();
      });
    },
    [before],
  );
}

/**
 * If the focus is within `box` on unmount, focuses the first of these that can have the focus: `before`, an
 * ancestor with `data-focus-home` (closest first), the page.
 */
export function useFocusFallback(box: RefObject<HTMLElement | null>, before?: Element | null): void {
  useLayoutEffect(() => {
    const element = box.current;
    return () => {
      if (element === null || !element.contains(document.activeElement)) return;
      const homes = homesOf(element);
      if (before instanceof HTMLElement) homes.unshift(before);
      queueMicrotask(() => {
        for (const home of homes) if (isFocusLost()) home.focus({ preventScroll: true });
        focusPageIfLost();
      });
    };
  }, [box, before]);
}

function homesOf(element: HTMLElement): HTMLElement[] {
  const home = element.parentElement?.closest<HTMLElement>('[data-focus-home]');
  return home == null ? [] : [home, ...homesOf(home)];
}

/**
 * Focuses an element of a virtual list: at once if it is rendered, otherwise after the list has scrolled to it. Does
 * nothing if the focus has moved elsewhere in the meantime.
 */
export function focusWhenRendered(find: () => HTMLElement | null | undefined): void {
  const element = find();
  if (element) {
    element.focus();
    return;
  }
  const before = document.activeElement;
  const retry = () => {
    const now = document.activeElement;
    if (now === before || now === document.body) find()?.focus();
  };
  requestAnimationFrame(() => requestAnimationFrame(retry));
}

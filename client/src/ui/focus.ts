import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';

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

/** Focuses the page if no element has the focus, e.g. because the one that had it was removed. */
export function focusPageIfLost(): void {
  if (isFocusLost()) focusPage();
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/**
 * Focuses the element of `main` with `data-focus-home`. If no such element exists or can be focused, focuses `main`
 * itself.
 */
export function focusPage(): void {
  const main = document.querySelector<HTMLElement>('main');
  const home = main?.matches('[data-focus-home]') ? main : main?.querySelector<HTMLElement>('[data-focus-home]');
  for (const target of [home, main]) {
    if (!target) continue;
    if (!target.hasAttribute('tabindex')) target.tabIndex = -1;
    target.focus({ preventScroll: true });
    if (document.activeElement === target) return;
  }
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

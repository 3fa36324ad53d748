import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';

/** Restores the focus on unmount, unless something else has taken it. */
export function useFocusReturn(): void {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      setTimeout(() => {
        const isLost = document.activeElement === null || document.activeElement === document.body;
        if (isLost && before instanceof HTMLElement && before.isConnected) before.focus();
      });
    },
    [before],
  );
}

/** Marks an element that takes over lost focus; needs a `tabIndex`. */
const FOCUS_HOME = 'data-focus-home';

/** If the focus is within `box` on unmount, focuses the closest ancestor marked with FOCUS_HOME. */
export function useFocusFallback(box: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = box.current;
    return () => {
      if (element === null || !element.contains(document.activeElement)) return;
      const home = element.closest<HTMLElement>(`[${FOCUS_HOME}]`);
      queueMicrotask(() => {
        if (document.activeElement === document.body && home?.isConnected) home.focus({ preventScroll: true });
      });
    };
  }, [box]);
}

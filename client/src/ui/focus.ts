import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';

/** Gives the focus back, when the component goes, to what had it when it came, unless something else has taken it. */
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

/** Marks what may have the focus when what had it is gone from it; it needs a `tabIndex`. */
const FOCUS_HOME = 'data-focus-home';

/** When the component goes while the focus is in `box`, the nearest element around it that is marked as its home gets it. */
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

import { useSyncExternalStore } from 'react';

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}

/** Media queries with the breakpoints of tokens.css: PHONE is below `md`, and NARROW is below `lg`. */
export const PHONE = '(width < 700px)';
/** Wider than a phone, but too narrow to show the session list beside an open session. */
export const COMPACT = '(700px <= width < 1150px)';
export const NARROW = '(width < 1100px)';

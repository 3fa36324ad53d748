import { useSyncExternalStore } from 'react';

/** Whether the window is as a media query says. */
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

/** As `md` and `lg` in tokens.css. */
export const PHONE = '(width < 700px)';
export const NO_ROOM_BESIDE = '(width < 1100px)';

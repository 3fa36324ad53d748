import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** This close to its end a list counts as being at its end, in pixels. */
const NEAR_PX = 40;

/**
 * Keeps a growing list at its end while the reader is there; otherwise counts what came below.
 * @param grown Number of entries; its growth is what is new.
 * @param height Height of the list, so that it is followed when rows turn out to be higher.
 */
export function useStickToEnd(scroller: RefObject<HTMLElement | null>, grown: number, height: number) {
  const atEnd = useRef(true);
  const seen = useRef(grown);
  const [news, setNews] = useState(0);
  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
    atEnd.current = true;
  }, [scroller]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new height moves the end
  useLayoutEffect(() => {
    if (atEnd.current) {
      seen.current = grown;
      setNews(0);
      toEnd();
    } else {
      setNews(Math.max(0, grown - seen.current));
    }
  }, [grown, height, toEnd]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let last = element.scrollTop;
    const look = () => {
      const left = element.scrollHeight - element.clientHeight - element.scrollTop;
      // A list that grew is not one that was left; only going up leaves its end.
      if (left <= NEAR_PX) {
        atEnd.current = true;
        setNews(0);
      } else if (element.scrollTop < last) {
        if (atEnd.current) seen.current = grown;
        atEnd.current = false;
      }
      last = element.scrollTop;
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => element.removeEventListener('scroll', look);
  }, [scroller, grown]);
  return { news, toEnd };
}

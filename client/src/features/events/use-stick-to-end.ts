import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Distance in pixels within which the list counts as scrolled to its end. */
const NEAR_PX = 40;

/**
 * Keeps a growing list scrolled to its end while the reader is at the end. Once the reader has scrolled up, counts the
 * added items instead.
 * @param grown Number of items received so far.
 * @param height Height of the list, which may change as rows are measured.
 */
export function useStickToEnd(scroller: RefObject<HTMLElement | null>, grown: number, height: number) {
  const atEnd = useRef(true);
  const seenCount = useRef(grown);
  const [news, setNews] = useState(0);
  const [away, setAway] = useState(false);
  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
    atEnd.current = true;
    setAway(false);
  }, [scroller]);
  const stick = useCallback(() => {
    if (atEnd.current) toEnd();
  }, [toEnd]);
  const release = useCallback(() => {
    atEnd.current = false;
    requestAnimationFrame(() => {
      const element = scroller.current;
      const left = element === null ? 0 : element.scrollHeight - element.clientHeight - element.scrollTop;
      atEnd.current = left <= NEAR_PX;
      setAway(!atEnd.current);
    });
  }, [scroller]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new height moves the end
  useLayoutEffect(() => {
    if (atEnd.current) {
      seenCount.current = grown;
      setNews(0);
      toEnd();
    } else {
      setNews(Math.max(0, grown - seenCount.current));
    }
  }, [grown, height, toEnd]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let last = element.scrollTop;
    const onScroll = () => {
      const left = element.scrollHeight - element.clientHeight - element.scrollTop;
      // Only scrolling up means that the reader has left the end. A greater distance to the end can also mean that the
      // list has grown.
      if (left <= NEAR_PX) {
        atEnd.current = true;
        setNews(0);
        setAway(false);
      } else if (element.scrollTop < last) {
        if (atEnd.current) seenCount.current = grown;
        atEnd.current = false;
        setAway(true);
      }
      last = element.scrollTop;
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, [scroller, grown]);
  return { news, away, toEnd, stick, release };
}

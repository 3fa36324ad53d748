import { type RefObject, useLayoutEffect, useState } from 'react';
import { observeSize } from '../../ui/observe-size.ts';

/** Live width of an element in pixels. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(() => window.innerWidth);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    setWidth(current.clientWidth);
    return observeSize(current, () => setWidth(current.clientWidth));
  }, [element]);
  return width;
}

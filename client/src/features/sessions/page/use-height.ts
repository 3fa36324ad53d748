import { type RefObject, useLayoutEffect, useState } from 'react';

/** Height of an element in pixels, 0 without one. @param which changes when the ref points to another element */
export function useHeight(element: RefObject<HTMLElement | null>, which: string | undefined): number {
  const [height, setHeight] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another element is behind the same reference
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) {
      setHeight(0);
      return undefined;
    }
    const measure = () => setHeight(current.getBoundingClientRect().height);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element, which]);
  return height;
}

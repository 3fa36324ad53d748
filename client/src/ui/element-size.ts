import { type RefObject, useLayoutEffect, useState } from 'react';

/** Calls `listener` when the size of an element changes. Returns a function that stops observing. */
export function observeSize(element: Element, listener: () => void): () => void {
  const observer = new ResizeObserver(listener);
  observer.observe(element);
  return () => observer.disconnect();
}

/**
 * Returns the current size of an element in pixels, as `measure` returns it, or `missing` if there is no element.
 * @param which a value that changes whenever the ref points to another element
 */
export function useSize(
  element: RefObject<HTMLElement | null>,
  measure: (element: HTMLElement) => number,
  missing: number,
  which?: string,
): number {
  const [size, setSize] = useState(missing);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `which` changes with the element of the ref
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) {
      setSize(missing);
      return undefined;
    }
    const update = () => setSize(measure(current));
    update();
    return observeSize(current, update);
  }, [element, which]);
  return size;
}

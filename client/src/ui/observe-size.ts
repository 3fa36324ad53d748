/** Calls `listener` when the size of an element changes. Returns a function that stops observing. */
export function observeSize(element: Element, listener: () => void): () => void {
  const observer = new ResizeObserver(listener);
  observer.observe(element);
  return () => observer.disconnect();
}

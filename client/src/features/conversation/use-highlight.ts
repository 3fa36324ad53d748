import { type RefObject, useEffect } from 'react';

const NAME = 'conversation-match';
/** Maximum number of occurrences of the text that are highlighted in the rendered rows. */
const RANGES_MAX = 500;

/**
 * Highlights a text in the displayed messages without changing their elements. Browsers without the highlight API show
 * only the outline of the matching row.
 */
export function useHighlight(scroller: RefObject<HTMLElement | null>, query: string): void {
  useEffect(() => {
    const wanted = query.trim().toLowerCase();
    const element = scroller.current;
    if (wanted === '' || element === null || !('highlights' in CSS)) return undefined;
    let frame = 0;
    const draw = () => {
      frame = 0;
      CSS.highlights.set(NAME, new Highlight(...rangesIn(element, wanted)));
    };
    const plan = () => {
      if (frame === 0) frame = requestAnimationFrame(draw);
    };
    draw();
    const observer = new MutationObserver(plan);
    observer.observe(element, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      CSS.highlights.delete(NAME);
    };
  }, [scroller, query]);
}

function rangesIn(element: HTMLElement, wanted: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && ranges.length < RANGES_MAX; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  return ranges;
}

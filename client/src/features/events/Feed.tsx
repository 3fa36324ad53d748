import { useVirtualizer } from '@tanstack/react-virtual';
import type { ReactNode, RefObject } from 'react';
import { useStickToEnd } from './use-stick-to-end.ts';

/** Virtual list that grows at its end and stays scrolled to the end unless the reader scrolls up. */
export function Feed(props: {
  label: string;
  scroller: RefObject<HTMLDivElement | null>;
  count: number;
  /** Number of entries received so far, from which the number of new entries is computed. */
  received: number;
  /** Estimated height of an item in pixels. */
  itemPx: number;
  overscan: number;
  keyOf(index: number): string | number;
  /** Content above the list. */
  header?: ReactNode;
  children(index: number): ReactNode;
}) {
  const { scroller } = props;
  const virtualizer = useVirtualizer({
    count: props.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => props.itemPx,
    getItemKey: props.keyOf,
    overscan: props.overscan,
    useFlushSync: false,
  });
  const height = virtualizer.getTotalSize();
  const { news, toEnd } = useStickToEnd(scroller, props.received, height);
  const items = virtualizer.getVirtualItems();
  return (
    <div className="relative h-full min-h-0">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard */}
      <section aria-label={props.label} className="h-full overflow-y-auto" ref={scroller} tabIndex={0}>
        {props.header}
        <div className="relative" style={{ height }}>
          <ol className="absolute inset-x-0 top-0" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            {items.map(({ index, key }) => (
              <li data-index={index} key={key} ref={virtualizer.measureElement}>
                {props.children(index)}
              </li>
            ))}
          </ol>
        </div>
      </section>
      <NewItemsButton count={news} onGo={toEnd} />
    </div>
  );
}

/** Returns the set with a value added or, if present, removed. */
export function toggled<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
}

/** Button with the number of new items below the viewport; scrolls to them. */
function NewItemsButton({ count, onGo }: { count: number; onGo: () => void }) {
  if (count === 0) return null;
  return (
    <button
      className="absolute bottom-3 left-1/2 z-10 h-7 -translate-x-1/2 rounded-full border border-line bg-raised px-3 font-medium shadow-raised hover:bg-hover"
      onClick={onGo}
      type="button"
    >
      {count} new ↓
    </button>
  );
}

import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type Ref, type RefObject, useEffect, useImperativeHandle, useRef } from 'react';
import { observeSize } from '../../ui/element-size.ts';
import { useStickToEnd } from './use-stick-to-end.ts';

export interface FeedControl {
  /**
   * Scrolls an item to the top, or with `near`, just into view. After that, the list no longer scrolls to its end when
   * it grows.
   */
  show(index: number, near?: boolean): void;
  /** Index of the first visible item, or -1. */
  first(): number;
}

/** Tolerance in pixels: an item of which no more than this is visible does not count as the first visible item. */
const EDGE_PX = 12;

/** Virtual list that grows at its end and stays scrolled to the end unless the reader scrolls up. */
export function Feed(props: {
  label: string;
  scroller: RefObject<HTMLDivElement | null>;
  count: number;
  /** Number of items received so far, from which the number of new items is computed. */
  received: number;
  /** Estimated height of an item in pixels. */
  itemPx: number;
  overscan: number;
  keyOf(index: number): string | number;
  header?: ReactNode;
  footer?: ReactNode;
  control?: Ref<FeedControl>;
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
  const { news, away, toEnd, stick, release } = useStickToEnd(scroller, props.received, height);
  const end = useRef<HTMLDivElement>(null);
  const hasFooter = props.footer !== undefined;
  useEffect(
    () => (hasFooter && end.current !== null ? observeSize(end.current, stick) : undefined),
    [hasFooter, stick],
  );
  useImperativeHandle(
    props.control,
    () => ({
      show(index, near = false) {
        release();
        virtualizer.scrollToIndex(index, { align: near ? 'auto' : 'start' });
      },
      first: () => virtualizer.getVirtualItemForOffset((virtualizer.scrollOffset ?? 0) + EDGE_PX)?.index ?? -1,
    }),
    [virtualizer, release],
  );
  const items = virtualizer.getVirtualItems();
  return (
    <div className="relative h-full min-h-0">
      <section
        aria-label={props.label}
        className="h-full overflow-y-auto"
        // When the reader expands an item, the list stops scrolling to its end, so that the item keeps its position.
        onClickCapture={({ target }) => {
          if (target instanceof Element && target.closest('[aria-expanded]') !== null) release();
        }}
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
        tabIndex={0}
      >
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
        {hasFooter ? <div ref={end}>{props.footer}</div> : null}
      </section>
      {away ? <NewItemsButton count={news} onGo={toEnd} /> : null}
    </div>
  );
}

/**
 * Returns a copy of the set to which the value is added or, if the set already contains it, from which it is removed.
 */
export function toggled<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
}

/** Button with the number of new items below the viewport; scrolls to the end. */
function NewItemsButton({ count, onGo }: { count: number; onGo: () => void }) {
  return (
    <button
      aria-label={count === 0 ? 'Scroll to the end' : `Scroll to the end (${count} new)`}
      className="absolute bottom-3 left-1/2 z-10 h-7 max-md:h-10 max-md:min-w-10 -translate-x-1/2 rounded-full border border-line bg-raised px-3 font-medium shadow-raised hover:bg-hover"
      onClick={onGo}
      type="button"
    >
      {count === 0 ? '↓' : `${count} new ↓`}
    </button>
  );
}

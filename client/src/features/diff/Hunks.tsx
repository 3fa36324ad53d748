import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  Fragment,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { observeSize } from '../../ui/element-size.ts';
import { PHONE, useMedia } from '../../ui/use-media.ts';
import { CHARACTER_PX, heightOf, lineLayout } from './heights.ts';
import { useColours, type VisibleHunk } from './highlight.ts';
import { languageOf } from './languages.ts';
import type { Row } from './rows.ts';
import { keyOf } from './selection.ts';
import type { DiffFile } from './types.ts';
import { useAnchor } from './use-anchor.ts';

/** Number of rows that are rendered above and below the viewport. More rows would slow down fast scrolling. */
const OVERSCAN = 4;

/**
 * Time in milliseconds for which a file must stay at the top before `onFile` is called. Fast scrolling thus causes few
 * calls.
 */
const SETTLED_MS = 80;

/**
 * `columns` is the number of characters that fit into a row. `height` is the row's height in pixels, if known before
 * rendering.
 */
export interface RowLayout {
  columns: number;
  height: number | undefined;
}

export interface HunksHandle {
  /** Scrolls a row to the top or, with `near`, just into view. */
  show(row: number, near?: boolean): void;
  focus(): void;
}

/** Virtual list of all rows of a diff with a sticky file header. */
export function Hunks(props: {
  ref: Ref<HunksHandle>;
  rows: readonly Row[];
  files: readonly DiffFile[];
  digits: number;
  split: boolean;
  renderRow: (row: Row, layout: RowLayout) => ReactNode;
  /** Called when another file reaches the top of the viewport. */
  onFile: (path: string | undefined) => void;
  onArrow: (event: KeyboardEvent) => void;
}) {
  const { ref, rows, files, digits, split, renderRow, onFile, onArrow } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const ruler = useRef<HTMLSpanElement>(null);
  const [width, setWidth] = useState(800);
  const [character, setCharacter] = useState(CHARACTER_PX);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    return observeSize(element, () => {
      setWidth(element.clientWidth);
      const measured = (ruler.current?.getBoundingClientRect().width ?? 0) / 10;
      if (measured > 0) setCharacter(measured);
    });
  }, []);
  const isPhone = useMedia(PHONE);
  const sizes = useMemo(
    () => lineLayout({ width, character, digits, split, isPhone }),
    [width, character, digits, split, isPhone],
  );
  const { columns, numberPx, linePx, filePx } = sizes;

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: useCallback(
      (index: number) => {
        const row = rows[index];
        return row === undefined ? 0 : heightOf(row, sizes).height;
      },
      [rows, sizes],
    ),
    getItemKey: useCallback(
      (index: number) => {
        const row = rows[index];
        return row === undefined ? index : keyOf(row, files);
      },
      [rows, files],
    ),
    overscan: OVERSCAN,
    scrollPaddingStart: filePx,
    scrollPaddingEnd: linePx,
    useFlushSync: false,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: every line height depends on these sizes
  useEffect(() => virtualizer.measure(), [virtualizer, sizes]);

  useImperativeHandle(
    ref,
    () => ({
      show(index, near = false) {
        if (near) {
          virtualizer.scrollToIndex(index, { align: 'auto' });
          return;
        }
        const [offset] = virtualizer.getOffsetForIndex(index, 'start') ?? [];
        if (offset !== undefined) virtualizer.scrollToOffset(offset + (rows[index]?.kind === 'file' ? filePx : 0));
      },
      focus: () => scroller.current?.focus({ preventScroll: true }),
    }),
    [virtualizer, rows, filePx],
  );

  useAnchor({ scroller, virtualizer, rows, files });

  const items = virtualizer.getVirtualItems();
  const top = virtualizer.scrollOffset ?? 0;
  const topRow = rows[virtualizer.getVirtualItemForOffset(top)?.index ?? 0];
  const heading = useHeading(rows, topRow);
  const path = topRow && files[topRow.file]?.path;
  useEffect(() => {
    const timer = setTimeout(() => onFile(path), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [onFile, path]);
  useColours(hunksOf(items, rows, files));

  return (
    <div className="relative h-full">
      <section
        aria-label="Changes"
        className="peer h-full overflow-y-auto overscroll-contain outline-none"
        onKeyDown={(event) => {
          if (event.target === event.currentTarget) onArrow(event);
        }}
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
        tabIndex={0}
      >
        <span aria-hidden className="diff-line invisible absolute" ref={ruler}>
          0000000000
        </span>
        {heading !== undefined && top > 0 && (
          <div className="sticky top-0 z-10 h-0">{renderRow(heading, { columns, height: filePx })}</div>
        )}
        <div
          className="relative"
          style={
            {
              height: virtualizer.getTotalSize(),
              '--number': `${numberPx}px`,
              '--code-line': `${linePx}px`,
            } as CSSProperties
          }
        >
          <div className="absolute inset-x-0 top-0" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            {items.map(({ index, key }) => {
              const row = rows[index];
              if (row === undefined) return null;
              const { height, isExact } = heightOf(row, sizes);
              if (!isExact) {
                return (
                  <div data-index={index} key={key} ref={virtualizer.measureElement}>
                    {renderRow(row, { columns, height: undefined })}
                  </div>
                );
              }
              if ('hunk' in row && row.kind !== 'hunk') {
                return <Fragment key={key}>{renderRow(row, { columns, height })}</Fragment>;
              }
              return (
                <div className="contain-strict" key={key} style={{ height }}>
                  {renderRow(row, { columns, height })}
                </div>
              );
            })}
          </div>
        </div>
      </section>
      {/* The focus outline is a separate element, because rows would cover an outline of their own container. */}
      <div className="pointer-events-none absolute inset-0 z-20 peer-focus-visible:outline-2 peer-focus-visible:-outline-offset-2 peer-focus-visible:outline-accent" />
    </div>
  );
}

/** Returns the hunks of the visible rows, except hunks in languages that cannot be highlighted. */
function hunksOf(items: readonly { index: number }[], rows: readonly Row[], files: readonly DiffFile[]): VisibleHunk[] {
  const found: VisibleHunk[] = [];
  for (const { index } of items) {
    const row = rows[index];
    if (row?.kind !== 'line' && row?.kind !== 'pair') continue;
    const file = files[row.file];
    const hunk = file?.hunks[row.hunk];
    if (file === undefined || hunk === undefined || found.at(-1)?.hunk === hunk) continue;
    const language = languageOf(file.path);
    if (language !== undefined) found.push({ hunk, language });
  }
  return found;
}

function useHeading(rows: readonly Row[], row: Row | undefined): Row | undefined {
  const headings = useMemo(() => {
    const found = new Map<number, Row>();
    for (const each of rows) if (each.kind === 'file') found.set(each.file, each);
    return found;
  }, [rows]);
  return row && headings.get(row.file);
}

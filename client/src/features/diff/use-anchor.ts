import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import type { Row } from './rows.ts';
import type { DiffFile } from './types.ts';

/** The row at the top of the viewport. */
interface Anchor {
  path: string | undefined;
  row: Row;
  /** Height in pixels of the part of the row that is above the viewport. */
  within: number;
}

/**
 * Scroll anchoring: the row at the top of the viewport keeps its position when other rows are added, removed or
 * changed.
 */
export function useAnchor(props: {
  scroller: RefObject<HTMLElement | null>;
  virtualizer: Virtualizer<HTMLDivElement, Element>;
  rows: readonly Row[];
  files: readonly DiffFile[];
}): void {
  const { scroller, virtualizer, rows, files } = props;
  const anchor = useRef<Anchor>(undefined);
  const shown = useRef(rows);
  useLayoutEffect(() => {
    const before = anchor.current;
    const changed = shown.current !== rows;
    shown.current = rows;
    if (!changed || before === undefined || scroller.current === null) return;
    const file = files.findIndex(({ path }) => path === before.path);
    const exact = rows.findIndex((row) => row.file === file && isSame(row, before.row));
    const index = exact < 0 ? rows.findIndex((row) => row.file === file && row.kind === 'file') : exact;
    const start = index < 0 ? undefined : virtualizer.measurementsCache[index]?.start;
    if (start !== undefined) virtualizer.scrollToOffset(start + (exact < 0 ? 0 : before.within));
  }, [rows, files, virtualizer, scroller]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const record = () => {
      const item = virtualizer.getVirtualItemForOffset(element.scrollTop);
      const row = item && rows[item.index];
      if (item === undefined || row === undefined) return;
      // While the list is at its top, no row keeps its position, so that rows added above the first row become visible.
      anchor.current =
        element.scrollTop === 0
          ? undefined
          : { path: files[row.file]?.path, row, within: element.scrollTop - item.start };
    };
    record();
    element.addEventListener('scroll', record, { passive: true });
    return () => element.removeEventListener('scroll', record);
  }, [rows, files, virtualizer, scroller]);
}

function isSame(row: Row, other: Row): boolean {
  if ((row.kind === 'file' || row.kind === 'note') && row.kind === other.kind) return true;
  if (row.kind === 'comment') return other.kind === 'comment' && row.comment.id === other.comment.id;
  if (row.kind === 'hunk') return other.kind === 'hunk' && row.hunk === other.hunk;
  const mine = linesOfRow(row);
  return mine.length > 0 && linesOfRow(other).some((line) => mine.includes(line));
}

function linesOfRow(row: Row): string[] {
  if (row.kind === 'line') return [`${row.hunk}:${row.line.at}`];
  if (row.kind !== 'pair') return [];
  return [row.left, row.right].flatMap((line) => (line === undefined ? [] : [`${row.hunk}:${line.at}`]));
}

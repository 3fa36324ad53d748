import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { LineRow, Row } from './rows.ts';
import { lineOfRow, linesIn, type Selection } from './selection.ts';
import type { DiffFile, Line, Side } from './types.ts';

/** Line selection by keyboard or by dragging over line numbers. `onChosen` is called when the pointer is released. */
export function useLineSelection(
  { files, rows, whitespace }: { files: readonly DiffFile[]; rows: readonly Row[]; whitespace: boolean },
  onChosen: (selection: Selection) => void,
) {
  const [selection, setSelection] = useState<Selection>();
  const press = useRef<{ now: Selection; end: AbortController }>(undefined);
  useEffect(() => () => press.current?.end.abort(), []);

  return {
    selection,
    setSelection,
    lines: useMemo(
      () => new Set(selection === undefined ? [] : linesIn(files, selection, whitespace)),
      [selection, files, whitespace],
    ),
    /** Index of the row at which the selection ends, or -1. */
    row(): number {
      if (selection === undefined) return -1;
      return rows.findIndex((row) => {
        if (files[row.file]?.path !== selection.path || !('hunk' in row)) return false;
        return row.hunk === selection.hunk && lineOfRow(row)?.at === selection.to;
      });
    },
    /**
     * Selects the line of a row, or nothing if the row shows no code. With `extend`, extends a selection in the same
     * hunk to that line.
     */
    choose(row: Row | undefined, extend = false): void {
      const line = lineOfRow(row);
      if (row === undefined || line === undefined || !('hunk' in row)) {
        setSelection(undefined);
        return;
      }
      const path = files[row.file]?.path ?? '';
      const same = extend && selection?.path === path && selection.hunk === row.hunk;
      setSelection({ path, hunk: row.hunk, from: same ? selection.from : line.at, to: line.at, side: undefined });
    },
    press(row: LineRow, line: Line, side: Side | undefined, event: PointerEvent): void {
      if (event.button !== 0) return;
      event.preventDefault();
      const path = files[row.file]?.path ?? '';
      const extended = event.shiftKey && selection?.path === path && selection.hunk === row.hunk;
      const now = extended ? { ...selection, to: line.at } : { path, hunk: row.hunk, from: line.at, to: line.at, side };
      press.current?.end.abort();
      const end = new AbortController();
      press.current = { now, end };
      setSelection(now);
      const over = (done: boolean) => {
        const last = press.current?.now;
        press.current = undefined;
        end.abort();
        if (done && last !== undefined) onChosen(last);
      };
      window.addEventListener('pointerup', () => over(true), { signal: end.signal });
      window.addEventListener('pointercancel', () => over(false), { signal: end.signal });
    },
    drag(row: LineRow, line: Line): void {
      const { current } = press;
      if (current?.now.path !== files[row.file]?.path || current?.now.hunk !== row.hunk) return;
      current.now = { ...current.now, to: line.at };
      setSelection(current.now);
    },
  };
}

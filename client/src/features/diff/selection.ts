import { fileLines, type Row } from './rows.ts';
import type { DiffFile, Line, Side } from './types.ts';

/**
 * Selected lines of one hunk: all displayed lines between `from`, where the selection started, and `to`, where it
 * ended. Both are indexes into the hunk; `to` may be above `from`.
 */
export interface Selection {
  path: string;
  hunk: number;
  from: number;
  to: number;
  /** Side of the split layout on which the lines are selected; undefined if lines of both sides are selected. */
  side: Side | undefined;
}

/**
 * Returns the line to select when a person moves to a row by keyboard; undefined if the row shows no code. In the split
 * layout, the new line is preferred.
 */
export function lineOfRow(row: Row | undefined): Line | undefined {
  if (row?.kind === 'line') return row.line;
  return row?.kind === 'pair' ? (row.right ?? row.left) : undefined;
}

export function selectedLines(lines: readonly Line[], { from, to, side }: Selection): Line[] {
  const a = lines.findIndex(({ at }) => at === from);
  const b = lines.findIndex(({ at }) => at === to);
  if (a < 0 || b < 0) return [];
  const range = lines.slice(Math.min(a, b), Math.max(a, b) + 1);
  if (side === undefined) return range;
  return range.filter((line) => (side === 'old' ? line.old : line.new) !== undefined);
}

export function linesIn(files: readonly DiffFile[], selection: Selection, whitespace: boolean): Line[] {
  const file = files.find(({ path }) => path === selection.path);
  const own = file && fileLines(file, whitespace).hunks.find(({ hunk }) => hunk === selection.hunk);
  return selectedLines(own?.lines ?? [], selection);
}

/** Returns the index of the next or previous row for which `isWanted` returns true, or undefined. */
export function nextRow(
  rows: readonly Row[],
  from: number,
  step: 1 | -1,
  isWanted: (row: Row) => boolean,
): number | undefined {
  for (let at = from + step; rows[at] !== undefined; at += step) if (isWanted(rows[at] as Row)) return at;
  return undefined;
}

/** Returns the index of the first changed line below the heading of a file or hunk, or undefined. */
export function firstChange(rows: readonly Row[], heading: number): number | undefined {
  const file = rows[heading]?.file;
  for (let at = heading + 1; rows[at]?.file === file; at += 1) {
    const line = lineOfRow(rows[at]);
    if (line !== undefined && line.kind !== 'same') return at;
  }
  return undefined;
}

/** Returns the key of a row. The key stays the same when other rows are added or removed. */
export function keyOf(row: Row, files: readonly DiffFile[]): string {
  const path = files[row.file]?.path ?? '';
  if (row.kind === 'line') return `${path}:${row.hunk}:${row.line.at}`;
  if (row.kind === 'pair') return `${path}:${row.hunk}:${row.left?.at ?? ''}:${row.right?.at ?? ''}`;
  if (row.kind === 'hunk') return `${path}@${row.hunk}`;
  if (row.kind === 'comment') return row.comment.id;
  return `${row.kind} ${path}`;
}

import { SCREEN_RENDER_HISTORY_LINES } from '@agent-console/shared/limits/screens';
import type { Terminal } from '@xterm/headless';
import { newTerminal } from './headless.ts';
import { coreOf, type ScreenBuffer } from './internals.ts';

export interface LinesRequest {
  /**
   * Output directly before `data`. Drawn first, because `data` may continue the last line of this output. The lines of
   * this output are not returned.
   */
  lead: Uint8Array;
  data: Uint8Array;
  cols: number;
  rows: number;
  /** Whether the output has ended. If so, the last line is included even if incomplete. */
  ended: boolean;
}

/**
 * Size in bytes of the chunks in which output is written to the terminal. One chunk scrolls fewer lines than the
 * terminal's history holds, so every line is read before it is dropped.
 */
const PIECE_BYTES = 512;

/**
 * Returns the finished lines of output on the normal screen, as a terminal with `cols` and `rows` shows them. A line
 * that the program draws repeatedly is returned once, in its last form. A row is finished when it is above all rows
 * that the program redraws.
 */
export function renderLines({ lead, data, cols, rows, ended }: LinesRequest): string {
  const recorder = new LineRecorder(cols, rows);
  recorder.write(lead);
  recorder.forget();
  const from = recorder.unfinished();
  const beginning = lead.length > 0 && lead.at(-1) !== 0x0a ? recorder.lineAt(from) : '';
  const before = new Map(recorder.linesFrom(0, from));
  recorder.write(data);
  const to = ended ? recorder.end() : recorder.unfinished();
  const finished: string[] = [];
  for (const [row, line] of recorder.linesFrom(0, to)) {
    const isOld = row < from && (before.get(row) === line || !before.has(row));
    if (isOld) continue;
    finished.push(row === from && beginning !== '' && line.startsWith(beginning) ? line.slice(beginning.length) : line);
  }
  recorder.dispose();
  if (finished.length === 0) return '';
  return `${finished.join('\n')}${ended ? '' : '\n'}`;
}

type TrimmingBuffer = ScreenBuffer & { lines: { onTrim(listener: (rows: number) => void): unknown } };

/** A terminal that records every line that scrolls out of it. Row numbers count from the beginning of the output. */
class LineRecorder {
  readonly #terminal: Terminal;
  readonly #buffer: TrimmingBuffer;
  readonly #rows: number;
  /** Number of rows that were dropped from the terminal's own history. */
  #trimmed = 0;
  /** Complete lines recorded so far, each with its first row. */
  #lines: [row: number, text: string][] = [];
  /**
   * An incomplete line: its first rows have been read, and row `#readTo` may continue it. It can be longer than the
   * terminal's history.
   */
  #open: { row: number; text: string } | undefined;
  /** First row that has not been read. This row and all later rows are still in the terminal. */
  #readTo = 0;
  /**
   * The latest upward movement of the cursor (first and last row), and the number of such movements within one screen
   * height. From the second movement on, the recorder assumes that the program redraws these rows.
   */
  #upwardMoves: { from: number; to: number; times: number } | undefined;

  constructor(cols: number, rows: number) {
    this.#rows = rows;
    this.#terminal = newTerminal({ cols, rows, scrollback: SCREEN_RENDER_HISTORY_LINES });
    this.#buffer = coreOf(this.#terminal)._bufferService.buffers.normal as TrimmingBuffer;
    this.#buffer.lines.onTrim((count) => {
      this.#trimmed += count;
    });
    const { parser } = this.#terminal;
    const trackUpwardMove = (target: (n: number) => number) => (params: (number | number[])[]) => {
      const [n] = params;
      this.#onMove(this.#trimmed + this.#buffer.ybase + target(typeof n === 'number' ? Math.max(1, n) : 1));
      return false;
    };
    for (const final of ['A', 'F'])
      parser.registerCsiHandler(
        { final },
        trackUpwardMove((n) => Math.max(0, this.#buffer.y - n)),
      );
    for (const final of ['H', 'f', 'd'])
      parser.registerCsiHandler(
        { final },
        trackUpwardMove((n) => Math.min(n, rows) - 1),
      );
    parser.registerCsiHandler({ final: 'J' }, ([mode]) => {
      if (mode === 2 || mode === 3 || this.#buffer.y === 0) this.#upwardMoves = undefined;
      return false;
    });
    // A reset (ESC c) is not executed, because it would delete lines before they are read. Its other effects do not
    // matter, because only the lines are read.
    parser.registerEscHandler({ final: 'c' }, () => {
      this.#upwardMoves = undefined;
      return true;
    });
  }

  write(data: Uint8Array): void {
    for (let at = 0; at < data.length; at += PIECE_BYTES) {
      coreOf(this.#terminal).writeSync(data.subarray(at, at + PIECE_BYTES));
      this.#read();
    }
  }

  /** Discards the recorded complete lines. The last line, which may continue, is kept. */
  forget(): void {
    this.#lines = [];
  }

  /** Returns the first row that may still change: the first row of the cursor's line, or the first redrawn row. */
  unfinished(): number {
    const cursor = this.#lineStart(this.#trimmed + this.#buffer.ybase + this.#buffer.y);
    const up = this.#upwardMoves;
    if (up === undefined || up.times < 2 || cursor - up.from >= this.#rows) return cursor;
    return Math.min(cursor, Math.max(up.to, cursor - (up.from - up.to)));
  }

  /** Returns the row after the last row with content, or after the cursor's row, whichever is later. */
  end(): number {
    let last = this.#buffer.lines.length;
    while (last > 0 && this.#buffer.lines.get(last - 1)?.translateToString(true) === '') last -= 1;
    return Math.max(last, this.#buffer.ybase + this.#buffer.y + 1) + this.#trimmed;
  }

  lineAt(row: number): string {
    return this.linesFrom(row, row + 1)[0]?.[1] ?? '';
  }

  /** Returns whole lines that begin in rows `from` to `to` (exclusive), each with its row. */
  linesFrom(from: number, to: number): [row: number, text: string][] {
    const found = this.#lines.filter(([row]) => row >= from && row < to);
    const open = this.#open;
    for (let row = open !== undefined && open.row >= from ? open.row : Math.max(from, this.#readTo); row < to; ) {
      const [text, next] = this.#lineFrom(row);
      found.push([row, text]);
      row = next;
    }
    return found;
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  /** Reads the rows that have scrolled out of the screen, because they can no longer change. */
  #read(): void {
    if (this.#readTo < this.#trimmed) {
      // The terminal dropped rows before they were read, because the program erased the history or repeated a character
      // very often. The open line ends before these rows.
      this.#complete();
      this.#readTo = this.#trimmed;
    }
    const end = this.#trimmed + this.#buffer.ybase;
    for (; ; this.#readTo += 1) {
      if (!this.#continues(this.#readTo)) this.#complete();
      if (this.#readTo >= end) return;
      const { row, text } = this.#open ?? { row: this.#readTo, text: '' };
      this.#open = { row, text: text + this.#textAt(this.#readTo) };
    }
  }

  /** Records the open line as complete, if there is an open line. */
  #complete(): void {
    if (this.#open !== undefined) this.#lines.push([this.#open.row, this.#open.text.trimEnd()]);
    this.#open = undefined;
  }

  /**
   * Returns the line that begins in `row`, and the row after it. `row` is the first row of `#open`, or has not been
   * read yet.
   */
  #lineFrom(row: number): [text: string, next: number] {
    const open = this.#open?.row === row ? this.#open : undefined;
    let text = open?.text ?? this.#textAt(row);
    let next = open === undefined ? row + 1 : this.#readTo;
    for (; this.#continues(next); next += 1) text += this.#textAt(next);
    return [text.trimEnd(), next];
  }

  #lineStart(row: number): number {
    let start = row;
    while (start > this.#readTo && this.#continues(start)) start -= 1;
    return start === this.#readTo && this.#continues(start) ? (this.#open?.row ?? start) : start;
  }

  #textAt(row: number): string {
    return this.#buffer.lines.get(row - this.#trimmed)?.translateToString(false) ?? '';
  }

  /** Whether a row continues the line of the row above it. */
  #continues(row: number): boolean {
    const { lines } = this.#buffer;
    const y = row - this.#trimmed;
    // The rows are a ring buffer: for an index after the last row, `get` returns the first row.
    return y < lines.length && lines.get(y)?.isWrapped === true;
  }

  #onMove(to: number): void {
    if (this.#terminal.buffer.active.type === 'alternate') return;
    const from = this.#trimmed + this.#buffer.ybase + this.#buffer.y;
    if (to >= from) return;
    const up = this.#upwardMoves;
    if (up !== undefined && from === up.to) up.to = to;
    else this.#upwardMoves = { from, to, times: up !== undefined && from - up.from < this.#rows ? up.times + 1 : 1 };
  }
}

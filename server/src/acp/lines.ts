/** One line of a log. `text` is the line without its line break, or null if the line is too long to keep. */
export interface LogLine {
  offset: number;
  /** Offset after the line end. For a line that is too long: offset up to which the line was read. */
  next: number;
  text: string | null;
}

/**
 * Splits a byte log into lines, beginning at `offset`. An incomplete last line is kept for the next call. A line of
 * more than `maxBytes` is returned as soon as it exceeds that size, with `text` null. No lines are read after it.
 */
export function createLineReader(offset: number, maxBytes: number) {
  let start = offset;
  let size = 0;
  let pieces: Buffer[] = [];
  let isOver = false;

  return {
    /** Returns the lines that these bytes complete. The buffer may be reused after the call. */
    push(data: Buffer): LogLine[] {
      const lines: LogLine[] = [];
      for (let at = 0; at < data.length && !isOver; ) {
        const end = data.indexOf(0x0a, at);
        const piece = data.subarray(at, end === -1 ? data.length : end);
        size += piece.length;
        if (size > maxBytes) {
          isOver = true;
          pieces = [];
          lines.push({ offset: start, next: start + size, text: null });
          break;
        }
        pieces.push(end === -1 ? Buffer.from(piece) : piece);
        if (end === -1) break;
        const next = start + size + 1;
        lines.push({ offset: start, next, text: Buffer.concat(pieces).toString('utf8') });
        start = next;
        size = 0;
        pieces = [];
        at = end + 1;
      }
      return lines;
    },
  };
}

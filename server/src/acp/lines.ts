/** One line of a log. `text` is the line without its end, or null if it was too long to keep. */
export interface LogLine {
  offset: number;
  /** Offset after the line end. */
  next: number;
  text: string | null;
}

/**
 * Splits a byte log into lines, beginning at `offset`. An incomplete last line is kept for the next call. A line of
 * more than `maxBytes` is returned without its text.
 */
export function createLineReader(offset: number, maxBytes: number) {
  let start = offset;
  let size = 0;
  let pieces: Buffer[] = [];

  return {
    /** Returns the lines that end in these bytes. The buffer may be reused after the call. */
    push(data: Buffer): LogLine[] {
      const lines: LogLine[] = [];
      for (let at = 0; at < data.length; ) {
        const end = data.indexOf(0x0a, at);
        const piece = data.subarray(at, end === -1 ? data.length : end);
        size += piece.length;
        if (size > maxBytes) pieces = [];
        else if (end === -1) pieces.push(Buffer.from(piece));
        else pieces.push(piece);
        if (end === -1) break;
        const next = start + size + 1;
        lines.push({ offset: start, next, text: size > maxBytes ? null : Buffer.concat(pieces).toString('utf8') });
        start = next;
        size = 0;
        pieces = [];
        at = end + 1;
      }
      return lines;
    },
  };
}

import type { OutputTarget } from './write-queue.ts';

/** Marks, embeddings, overrides and isolates: what reorders text without being seen. */
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const NO_WIDTH = '\u200b';

/** All of them are three bytes of UTF-8 that begin so. */
const FIRST = 0xe2;

/**
 * Shows output in the order in which it was printed: drawn by the document, directions of writing would have a command
 * look like another one. In their places stand characters that are as wide, which is not at all, and move nothing.
 */
export function neutralizeBidi(target: OutputTarget): OutputTarget {
  /** The last two bytes: a character may come in two pieces. */
  let before: [number, number] = [0, 0];
  return {
    write(data, done) {
      if (typeof data === 'string') {
        before = [0, 0];
        target.write(data.replace(DIRECTIONS, NO_WIDTH), done);
        return;
      }
      const at = (index: number) => data[index] ?? before[index + 2] ?? 0;
      const replace = (end: number) => {
        if (at(end - 2) !== FIRST || end >= data.length) return;
        const instead = insteadOf(at(end - 1), at(end));
        if (instead !== undefined) data[end] = instead;
      };
      replace(0);
      replace(1);
      for (let from = data.indexOf(FIRST); from >= 0; from = data.indexOf(FIRST, from + 1)) replace(from + 2);
      before = [at(data.length - 2), at(data.length - 1)];
      target.write(data, done);
    },
  };
}

/** The last byte of what stands in the place of a direction; undefined for other characters. */
function insteadOf(second: number, third: number): number | undefined {
  // U+200E, U+200F and U+202A to U+202E become U+200B, a space without width.
  if (second === 0x80 && (third === 0x8e || third === 0x8f || (third >= 0xaa && third <= 0xae))) return 0x8b;
  // U+2066 to U+2069 become U+2060, which keeps words together.
  return second === 0x81 && third >= 0xa6 && third <= 0xa9 ? 0xa0 : undefined;
}

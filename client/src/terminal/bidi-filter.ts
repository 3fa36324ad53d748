import type { OutputTarget } from './write-queue.ts';

/** Invisible control characters that reorder text: directional marks, embeddings, overrides and isolates. */
const DIRECTIONS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const NO_WIDTH = '\u200b';

/** First of the three UTF-8 bytes of every bidi control. */
const FIRST = 0xe2;

/**
 * Wraps a target so that bidi controls in its output become zero-width characters. Bidi controls could make a command
 * look like another command.
 */
export function neutralizeBidi(target: OutputTarget): OutputTarget {
  /** The last two bytes of the previous chunk, because a character may be split between two chunks. */
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

/** Returns the byte that replaces the last byte of a bidi control; undefined for any other character. */
function insteadOf(second: number, third: number): number | undefined {
  // Replaces U+200E, U+200F and U+202A to U+202E by U+200B, zero-width space.
  if (second === 0x80 && (third === 0x8e || third === 0x8f || (third >= 0xaa && third <= 0xae))) return 0x8b;
  // Replaces U+2066 to U+2069 by U+2060, word joiner.
  return second === 0x81 && third >= 0xa6 && third <= 0xa9 ? 0xa0 : undefined;
}

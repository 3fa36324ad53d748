import { SCRIPTED_PASTE_MAX_BYTES } from '@agent-console/shared/limits/scripted-agent';

const END = Buffer.from('\x1b[201~', 'latin1');

export interface Paste {
  /** Null when it was larger than SCRIPTED_PASTE_MAX_BYTES and therefore not kept. */
  text: string | null;
  bytes: number;
}

/**
 * Collects what stands between the marks of a bracketed paste. `take` answers null while the end is still to come, else
 * the paste and how many bytes of this chunk belonged to it, the end mark included.
 */
export function createPasteCollector(): { take(chunk: Buffer): { paste: Paste; consumed: number } | null } {
  let held = Buffer.alloc(0);
  let length = 0;
  let dropped = 0;

  const append = (chunk: Buffer) => {
    if (length + chunk.length > held.length) {
      const grown = Buffer.allocUnsafe(Math.max(4_096, 2 * (length + chunk.length)));
      held.copy(grown, 0, 0, length);
      held = grown;
    }
    chunk.copy(held, length);
    length += chunk.length;
  };

  /** Keeps only what could be the beginning of the end mark. */
  const dropTooLarge = () => {
    const rest = Math.min(length, END.length - 1);
    held.copyWithin(0, length - rest, length);
    dropped += length - rest;
    length = rest;
  };

  return {
    take(chunk) {
      const before = length;
      append(chunk);
      const end = held.subarray(0, length).indexOf(END, Math.max(0, before - END.length + 1));
      if (end < 0) {
        if (dropped > 0 || length > SCRIPTED_PASTE_MAX_BYTES + END.length) dropTooLarge();
        return null;
      }
      const bytes = dropped + end;
      const text = bytes > SCRIPTED_PASTE_MAX_BYTES ? null : held.toString('utf8', 0, end);
      held = Buffer.alloc(0);
      length = 0;
      dropped = 0;
      return { paste: { text, bytes }, consumed: end + END.length - before };
    },
  };
}

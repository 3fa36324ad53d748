import { StringDecoder } from 'node:string_decoder';
import { SCRIPTED_PASTE_MAX_BYTES } from '@agent-console/shared/limits/scripted-agent';

type ControlKey = 'enter' | 'backspace' | 'clear' | 'interrupt' | 'end';

/** A key press or paste. The `text` of a paste is null if the paste was too large to store. */
export type Key =
  | { type: 'text'; text: string }
  | { type: 'paste'; text: string | null; bytes: number }
  | { type: ControlKey };

const ESC = 0x1b;
const CONTROL_KEYS: Record<number, ControlKey> = {
  3: 'interrupt',
  4: 'end',
  8: 'backspace',
  10: 'enter',
  13: 'enter',
  21: 'clear',
  127: 'backspace',
};
/**
 * Maximum number of characters in the parameters of an escape sequence. The rest of a longer sequence is read as text.
 */
const SEQUENCE_MAX = 64;

/**
 * Decodes raw terminal input into keys, regardless of chunk boundaries. Text is UTF-8. Between the marks of a bracketed
 * paste every byte is content. Other escape sequences (arrows, function keys, terminal replies) are dropped.
 */
export function createKeyDecoder(): (chunk: Buffer) => Key[] {
  const decoder = new StringDecoder('utf8');
  const paste = createPasteCollector();
  let state: 'text' | 'escape' | 'csi' | 'single' | 'paste' = 'text';
  let sequence = '';
  let typed = '';

  const flush = (keys: Key[]) => {
    if (typed !== '') keys.push({ type: 'text', text: typed });
    typed = '';
  };

  /** Reads the text or the single control byte at `at`. Returns the index after it. */
  const takeText = (chunk: Buffer, at: number, keys: Key[]): number => {
    let end = at;
    while (end < chunk.length && isText(chunk[end])) end += 1;
    if (end > at) {
      typed += decoder.write(chunk.subarray(at, end));
      return end;
    }
    const byte = chunk[at] ?? 0;
    const key = CONTROL_KEYS[byte];
    if (byte === ESC) state = 'escape';
    else if (key) {
      typed += decoder.end();
      flush(keys);
      keys.push({ type: key });
    }
    return at + 1;
  };

  const takeEscape = (byte: number, at: number): number => {
    sequence = '';
    if (byte === 0x5b) state = 'csi';
    else if (byte === 0x4f) state = 'single';
    else {
      state = 'text';
      return at;
    }
    return at + 1;
  };

  const takeCsi = (byte: number, at: number): number => {
    if (byte >= 0x20 && byte < 0x40 && sequence.length < SEQUENCE_MAX) {
      sequence += String.fromCharCode(byte);
      return at + 1;
    }
    state = sequence === '200' && byte === 0x7e ? 'paste' : 'text';
    return byte >= 0x40 && byte <= 0x7e ? at + 1 : at;
  };

  const takePaste = (chunk: Buffer, at: number, keys: Key[]): number => {
    const end = paste.take(chunk.subarray(at));
    if (end === null) return chunk.length;
    flush(keys);
    keys.push({ type: 'paste', ...end.paste });
    state = 'text';
    return at + end.consumed;
  };

  return (chunk) => {
    const keys: Key[] = [];
    for (let at = 0; at < chunk.length; ) {
      const byte = chunk[at] ?? 0;
      if (state === 'text') at = takeText(chunk, at, keys);
      else if (state === 'paste') at = takePaste(chunk, at, keys);
      else if (state === 'escape') at = takeEscape(byte, at);
      else if (state === 'csi') at = takeCsi(byte, at);
      else {
        state = 'text';
        at += 1;
      }
    }
    flush(keys);
    return keys;
  };
}

function isText(byte: number | undefined): boolean {
  return byte !== undefined && (byte >= 0x20 ? byte !== 0x7f : byte === 0x09);
}

const END = Buffer.from('\x1b[201~', 'latin1');

interface Paste {
  /** The pasted text; null if it was larger than SCRIPTED_PASTE_MAX_BYTES. */
  text: string | null;
  bytes: number;
}

/**
 * Collects a bracketed paste. `take` returns null until the end mark arrives. `consumed` is the number of bytes of the
 * chunk up to and including the end mark.
 */
function createPasteCollector(): { take(chunk: Buffer): { paste: Paste; consumed: number } | null } {
  let collected = Buffer.alloc(0);
  let length = 0;
  let dropped = 0;

  const append = (chunk: Buffer) => {
    if (length + chunk.length > collected.length) {
      const grown = Buffer.allocUnsafe(Math.max(4_096, 2 * (length + chunk.length)));
      collected.copy(grown, 0, 0, length);
      collected = grown;
    }
    chunk.copy(collected, length);
    length += chunk.length;
  };

  /**
   * Drops the content of a paste that is too large. Keeps the last bytes, because they may be the beginning of the end
   * mark.
   */
  const dropTooLarge = () => {
    const rest = Math.min(length, END.length - 1);
    collected.copyWithin(0, length - rest, length);
    dropped += length - rest;
    length = rest;
  };

  return {
    take(chunk) {
      const before = length;
      append(chunk);
      const end = collected.subarray(0, length).indexOf(END, Math.max(0, before - END.length + 1));
      if (end < 0) {
        if (dropped > 0 || length > SCRIPTED_PASTE_MAX_BYTES + END.length) dropTooLarge();
        return null;
      }
      const bytes = dropped + end;
      const text = bytes > SCRIPTED_PASTE_MAX_BYTES ? null : collected.toString('utf8', 0, end);
      collected = Buffer.alloc(0);
      length = 0;
      dropped = 0;
      return { paste: { text, bytes }, consumed: end + END.length - before };
    },
  };
}

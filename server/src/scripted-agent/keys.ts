import { StringDecoder } from 'node:string_decoder';
import { createPasteCollector } from './paste.ts';

type ControlKey = 'enter' | 'backspace' | 'clear' | 'interrupt' | 'end';

/** What a person or the console did at the keyboard. `paste.text` is null when the paste was too large to keep. */
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
/** Parameters of an escape sequence longer than this belong to no key; the rest is taken as text. */
const SEQUENCE_MAX = 64;

/**
 * Turns raw terminal input into keys, whatever the chunk boundaries. Text is UTF-8; between the marks of a bracketed
 * paste every byte is content; other escape sequences (arrows, function keys, replies of the terminal) are dropped.
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

  /** Takes text from `at` on, up to the next byte that is none; returns where it went on. */
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

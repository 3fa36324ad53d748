import { SCRIPTED_PASTE_MAX_BYTES } from '@agent-console/shared/limits/scripted-agent';
import type { Key } from './keys.ts';
import { printable } from './printable.ts';

type Piece = { typed: string } | { pasted: string; bytes: number };

/** The input line that the user edits. `shown` returns what the terminal displays: for a paste, only its size. */
export interface Line {
  /** Applies a key and returns the text to echo. The caller handles the keys for Enter, interrupt and end of input. */
  press(key: Key): string;
  /** Returns the text that was entered, and empties the line. */
  take(): string;
  shown(): string;
  isEmpty(): boolean;
}

const ERASE_LINE = '\r\x1b[K';

/**
 * Creates an input line that begins with `prompt` and consists of typed and pasted parts. For a paste, only its size is
 * echoed.
 */
export function createLine(prompt: string): Line {
  let pieces: Piece[] = [];
  let bytes = 0;

  const shown = () =>
    prompt + pieces.map((piece) => ('typed' in piece ? printable(piece.typed) : mark(piece.bytes))).join('');
  const redraw = () => ERASE_LINE + shown();

  const add = (piece: Piece, size: number, echo: string): string => {
    if (bytes + size > SCRIPTED_PASTE_MAX_BYTES) return '\x07';
    bytes += size;
    const last = pieces.at(-1);
    if ('typed' in piece && last && 'typed' in last) last.typed += piece.typed;
    else pieces.push(piece);
    return echo;
  };

  const backspace = (): string => {
    const last = pieces.pop();
    if (!last) return '';
    if ('typed' in last) {
      const removed = /.$/su.exec(last.typed)?.[0] ?? '';
      bytes -= Buffer.byteLength(removed);
      const typed = last.typed.slice(0, last.typed.length - removed.length);
      if (typed !== '') pieces.push({ typed });
    } else bytes -= last.bytes;
    return redraw();
  };

  const clear = (): string => {
    pieces = [];
    bytes = 0;
    return redraw();
  };

  return {
    press(key) {
      if (key.type === 'text') return add({ typed: key.text }, Buffer.byteLength(key.text), printable(key.text));
      if (key.type === 'backspace') return backspace();
      if (key.type === 'clear') return clear();
      if (key.type !== 'paste') return '';
      if (key.text === null) return `[paste of ${key.bytes} bytes refused: at most ${SCRIPTED_PASTE_MAX_BYTES}]`;
      return add({ pasted: key.text, bytes: key.bytes }, key.bytes, mark(key.bytes));
    },
    take() {
      const text = pieces.map((piece) => ('typed' in piece ? piece.typed : piece.pasted)).join('');
      pieces = [];
      bytes = 0;
      return text;
    },
    shown,
    isEmpty: () => pieces.length === 0,
  };
}

function mark(bytes: number): string {
  return `[pasted ${bytes} bytes]`;
}

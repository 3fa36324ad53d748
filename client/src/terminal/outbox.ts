import { PAGE_INPUT_KEPT_BYTES, PAGE_INPUTS_TRAVELLING } from '@agent-console/shared/limits/dashboard';

/** Characters of one input; a longer paste travels as several, so that typing behind it does not wait for all of it. */
const PIECE_CHARS = 16 * 1024;

export interface Input {
  inputId: string;
  data: string;
}

interface Kept extends Input {
  bytes: number;
  /** It travelled under its id, so that its text can no longer change. */
  named: boolean;
  /** On its way on the present connection. */
  travelling: boolean;
}

const encoder = new TextEncoder();

/**
 * What was typed and is not yet accepted, in order. An input keeps its id over every repeat, and the console does each id
 * once: so nothing typed is lost with a connection, and nothing is typed twice.
 */
export class Outbox {
  readonly #newId: () => string;
  #kept: Kept[] = [];
  #bytes = 0;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** UTF-8 bytes kept, at most PAGE_INPUT_KEPT_BYTES. */
  get bytes(): number {
    return this.#bytes;
  }

  get chars(): number {
    return this.#kept.reduce((sum, { data }) => sum + data.length, 0);
  }

  get isTravelling(): boolean {
    return this.#kept[0]?.travelling === true;
  }

  /** Keeps text to be sent; false, and nothing of it is kept, where it would go past the bound. */
  add(text: string): boolean {
    const total = encoder.encode(text).length;
    if (this.#bytes + total > PAGE_INPUT_KEPT_BYTES) return false;
    this.#bytes += total;
    for (const piece of pieces(text)) {
      const bytes = encoder.encode(piece).length;
      const last = this.#kept.at(-1);
      if (last !== undefined && !last.named && last.data.length + piece.length <= PIECE_CHARS) {
        last.data += piece;
        last.bytes += bytes;
      } else {
        this.#kept.push({ inputId: this.#newId(), data: piece, bytes, named: false, travelling: false });
      }
    }
    return true;
  }

  /** Passes on what may travel now, oldest first, until `send` answers false. */
  flush(send: (input: Input) => boolean): void {
    for (const input of this.#kept.slice(0, PAGE_INPUTS_TRAVELLING)) {
      if (input.travelling) continue;
      if (!send({ inputId: input.inputId, data: input.data })) return;
      input.named = true;
      input.travelling = true;
    }
  }

  /** What was on its way may not have arrived: all of it is due again, under the same ids. */
  repeat(): void {
    for (const input of this.#kept) input.travelling = false;
  }

  /** The console has this input, or will never take it. */
  settle(inputId: string): void {
    this.#kept = this.#kept.filter((input) => {
      if (input.inputId !== inputId) return true;
      this.#bytes -= input.bytes;
      return false;
    });
  }

  /** Forgets everything; answers how many characters that were. */
  clear(): number {
    const { chars } = this;
    this.#kept = [];
    this.#bytes = 0;
    return chars;
  }
}

/** Never cuts a character that has two code units: each piece is encoded by itself. */
function pieces(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + PIECE_CHARS, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end -= 1;
    found.push(text.slice(at, end));
    at = end;
  }
  return found;
}

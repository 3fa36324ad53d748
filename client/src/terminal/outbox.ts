import { PAGE_INPUT_KEPT_BYTES, PAGE_INPUTS_TRAVELLING } from '@agent-console/shared/limits/dashboard';

/** Characters per input; longer pastes are split, so that later typing does not wait for all of it. */
const PIECE_CHARS = 16 * 1024;

export interface Input {
  inputId: string;
  data: string;
}

interface Kept extends Input {
  bytes: number;
  /** Sent at least once, so its text is fixed. */
  named: boolean;
  /** In flight on the current connection. */
  travelling: boolean;
}

const encoder = new TextEncoder();

/**
 * Typed input that is not yet accepted, in order. An input keeps its id across retries, and the console applies each id
 * once: nothing typed is lost or duplicated across connections.
 */
export class Outbox {
  readonly #newId: () => string;
  #kept: Kept[] = [];
  #bytes = 0;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** UTF-8 bytes held, at most PAGE_INPUT_KEPT_BYTES. */
  get bytes(): number {
    return this.#bytes;
  }

  get chars(): number {
    return this.#kept.reduce((sum, { data }) => sum + data.length, 0);
  }

  get isTravelling(): boolean {
    return this.#kept[0]?.travelling === true;
  }

  /** Adds text; returns false, and adds nothing, if it would exceed the limit. */
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

  /** Sends inputs within the window, oldest first, until `send` returns false. */
  flush(send: (input: Input) => boolean): void {
    for (const input of this.#kept.slice(0, PAGE_INPUTS_TRAVELLING)) {
      if (input.travelling) continue;
      if (!send({ inputId: input.inputId, data: input.data })) return;
      input.named = true;
      input.travelling = true;
    }
  }

  /** Marks everything in flight as unsent; ids stay the same. */
  repeat(): void {
    for (const input of this.#kept) input.travelling = false;
  }

  /** The console accepted this input, or never will. */
  settle(inputId: string): void {
    this.#kept = this.#kept.filter((input) => {
      if (input.inputId !== inputId) return true;
      this.#bytes -= input.bytes;
      return false;
    });
  }

  /** Clears the outbox and returns the number of characters dropped. */
  clear(): number {
    const { chars } = this;
    this.#kept = [];
    this.#bytes = 0;
    return chars;
  }
}

/** Splits text without separating surrogate pairs, because each piece is encoded on its own. */
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

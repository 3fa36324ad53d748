import { DASHBOARD_INPUT_BYTES, DASHBOARD_INPUTS_IN_FLIGHT } from '@agent-console/shared/limits/dashboard';

/** Maximum characters per input. Longer pastes are split, so that later typing does not wait for the whole paste. */
const CHUNK_CHARS = 16 * 1024;

export interface Input {
  inputId: string;
  data: string;
}

interface BufferedInput extends Input {
  bytes: number;
  /** Whether the input was sent at least once. After that, no more text can be added to it. */
  sent: boolean;
  inFlight: boolean;
}

const encoder = new TextEncoder();

/**
 * Typed input that the console has not yet accepted, in order. An input has the same id in each retry, and the console
 * applies each id once, so no input is lost or duplicated after a reconnection.
 */
export class Outbox {
  readonly #newId: () => string;
  #buffer: BufferedInput[] = [];
  /** Number of UTF-8 bytes in all pending inputs, at most DASHBOARD_INPUT_BYTES. */
  #bytes = 0;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  get chars(): number {
    return this.#buffer.reduce((sum, { data }) => sum + data.length, 0);
  }

  get isInFlight(): boolean {
    return this.#buffer[0]?.inFlight === true;
  }

  /**
   * Adds text to the outbox. If all inputs together would then exceed DASHBOARD_INPUT_BYTES, adds nothing and returns
   * false.
   */
  add(text: string): boolean {
    const total = encoder.encode(text).length;
    if (this.#bytes + total > DASHBOARD_INPUT_BYTES) return false;
    this.#bytes += total;
    for (const chunk of chunks(text)) {
      const bytes = encoder.encode(chunk).length;
      const last = this.#buffer.at(-1);
      if (last !== undefined && !last.sent && last.data.length + chunk.length <= CHUNK_CHARS) {
        last.data += chunk;
        last.bytes += bytes;
      } else {
        this.#buffer.push({ inputId: this.#newId(), data: chunk, bytes, sent: false, inFlight: false });
      }
    }
    return true;
  }

  /** Sends inputs, oldest first, until DASHBOARD_INPUTS_IN_FLIGHT are in flight or `send` returns false. */
  flush(send: (input: Input) => boolean): void {
    for (const input of this.#buffer.slice(0, DASHBOARD_INPUTS_IN_FLIGHT)) {
      if (input.inFlight) continue;
      if (!send({ inputId: input.inputId, data: input.data })) return;
      input.sent = true;
      input.inFlight = true;
    }
  }

  /** Marks all inputs as not in flight, so that `flush` sends them again with the same ids. */
  repeat(): void {
    for (const input of this.#buffer) input.inFlight = false;
  }

  /** Removes an input that the console has accepted or will never accept. */
  settle(inputId: string): void {
    this.#buffer = this.#buffer.filter((input) => {
      if (input.inputId !== inputId) return true;
      this.#bytes -= input.bytes;
      return false;
    });
  }

  /** Removes all inputs and returns the number of characters dropped. */
  clear(): number {
    const { chars } = this;
    this.#buffer = [];
    this.#bytes = 0;
    return chars;
  }
}

/** Splits text into chunks without separating surrogate pairs, because each chunk is encoded on its own. */
function chunks(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + CHUNK_CHARS, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last < 0xdc00) end -= 1;
    found.push(text.slice(at, end));
    at = end;
  }
  return found;
}

import { StringDecoder } from 'node:string_decoder';

/** Splits a client's stdin into lines. Lines that are too long are reported and dropped. */
export class LineReader {
  readonly #maxChars: number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: () => void;
  readonly #decoder = new StringDecoder('utf8');
  #parts: string[] = [];
  #length = 0;

  constructor(maxChars: number, onLine: (line: string) => void, onTooLong: () => void) {
    this.#maxChars = maxChars;
    this.#onLine = onLine;
    this.#onTooLong = onTooLong;
  }

  push(chunk: Buffer): void {
    const [first = '', ...more] = this.#decoder.write(chunk).split('\n');
    this.#add(first);
    for (const part of more) {
      this.#finish();
      this.#add(part);
    }
  }

  /** Emits the last line if the input does not end with a line break. */
  end(): void {
    this.#finish();
  }

  #add(part: string): void {
    this.#length += part.length;
    if (this.#length <= this.#maxChars) this.#parts.push(part);
    else this.#parts = [];
  }

  #finish(): void {
    const line = this.#parts.join('').trim();
    const isTooLong = this.#length > this.#maxChars;
    this.#parts = [];
    this.#length = 0;
    if (isTooLong) this.#onTooLong();
    else if (line !== '') this.#onLine(line);
  }
}

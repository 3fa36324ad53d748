import { SCREEN_HISTORY_LINES } from '@agent-console/shared/limits/screens';
import type { Terminal } from '@xterm/headless';
import { lastSequenceBoundary } from '../domain/output-text.ts';
import type { ScreenView } from '../ports/screens.ts';
import { Certainty } from './certainty.ts';
import { newTerminal } from './headless.ts';
import { coreOf, isGround, openSequenceOf, prepareResize, recoverWriting, tidyAfterResize } from './internals.ts';
import { answerMore, queryEnds, serializeColours } from './queries.ts';
import { applyRemainder, type Remainder, remainderOf } from './remainder.ts';
import { startIn } from './restart-point.ts';
import { serializeScreen } from './serialize.ts';

/** A terminal's whole state at an offset, from which it goes on as if it had never stopped. */
export interface TerminalState {
  offset: number;
  cols: number;
  rows: number;
  /** What draws it on an empty terminal. */
  serialized: string;
  remainder: Remainder;
  certain: { screen: boolean; history: boolean };
}

export interface ScreenTerminalOptions {
  cols: number;
  rows: number;
  offset: number;
  /** Lines kept above the screen. */
  history?: number;
  state?: TerminalState;
  /** The answer to a query that ends at `offset`; `nth` counts answers to the same one. */
  onAnswer?: (answer: { offset: number; nth: number; data: string }) => void;
  /** The terminal failed at output that ends at `offset`, and goes on behind it. */
  onFault?: (fault: { offset: number; message: string }) => void;
}

/**
 * A headless terminal at an offset of a worker's output. An escape sequence or character that is not complete is held
 * back, so that the terminal always stands between sequences: it can be stored, and a viewer can go on from it.
 */
export class ScreenTerminal {
  /** The terminal itself. */
  readonly terminal: Terminal;
  readonly #history: number;
  readonly #certainty: Certainty;
  readonly #onAnswer: ScreenTerminalOptions['onAnswer'];
  readonly #onFault: ScreenTerminalOptions['onFault'];
  #offset: number;
  #held: Buffer = Buffer.alloc(0);
  #title: string | null = null;
  /** Set while output is gathered in which the terminal will begin anew. */
  #seeking: { until: number; parts: Buffer[] } | undefined;
  #asked: { offset: number; nth: number } | undefined;

  constructor(options: ScreenTerminalOptions) {
    const { state } = options;
    this.#history = options.history ?? SCREEN_HISTORY_LINES;
    this.terminal = newTerminal({
      cols: state?.cols ?? options.cols,
      rows: state?.rows ?? options.rows,
      scrollback: this.#history,
    });
    this.#offset = state?.offset ?? options.offset;
    this.#onAnswer = options.onAnswer;
    this.#onFault = options.onFault;
    this.terminal.onTitleChange((title) => {
      this.#title = title === '' ? null : title;
    });
    this.terminal.onData((data) => this.#answer(data));
    answerMore(this.terminal, (data) => this.#answer(data));
    this.#certainty = new Certainty(this.terminal);
    if (state !== undefined) this.#restore(state);
  }

  /** Offset of the state that is shown and stored. */
  get offset(): number {
    return this.#offset;
  }

  /** Offset of the next byte to be written. */
  get next(): number {
    const gathered = this.#seeking?.parts.reduce((sum, part) => sum + part.length, 0) ?? 0;
    return this.#offset + this.#held.length + gathered;
  }

  /** Output that begins at `next`. @param answers whether queries in it are answered. */
  write(data: Buffer, answers = false): void {
    if (this.#seeking !== undefined) {
      this.#seeking.parts.push(data);
      if (this.next >= this.#seeking.until) this.#beginAnew(answers);
      return;
    }
    const all = this.#held.length === 0 ? data : Buffer.concat([this.#held, data]);
    const end = lastSequenceBoundary(all);
    this.#held = Buffer.from(all.subarray(end));
    let at = 0;
    if (answers && this.#onAnswer !== undefined) {
      for (const asked of queryEnds(all.subarray(0, end))) {
        this.#parse(all.subarray(at, asked), true);
        at = asked;
      }
    }
    this.#parse(all.subarray(at, end), answers);
  }

  /** The size changed at `next`. */
  resize(cols: number, rows: number): void {
    prepareResize(coreOf(this.terminal));
    // Columns and rows of one cell are more than the terminal can be asked to draw.
    this.terminal.resize(Math.max(2, cols), Math.max(1, rows));
    tidyAfterResize(coreOf(this.terminal));
  }

  /** Output up to `offset` is left out; what comes until `until` is gathered, to begin anew at the best place in it. */
  skip(offset: number, until: number): void {
    this.#held = Buffer.alloc(0);
    this.#offset = offset;
    this.#certainty.lose();
    this.#seeking = until > offset ? { until, parts: [] } : undefined;
    // Ends a sequence that was cut off; the decoder drops half a character by itself with the next byte.
    coreOf(this.terminal)._inputHandler._utf8Decoder.clear();
    coreOf(this.terminal).writeSync('\x18');
  }

  /** The whole state, or undefined inside a sequence that is longer than what is held back. */
  state(): TerminalState | undefined {
    const core = coreOf(this.terminal);
    if (!isGround(core) || this.#seeking !== undefined) return undefined;
    return {
      offset: this.#offset,
      ...this.#size(),
      serialized: this.#draw(this.#history),
      remainder: remainderOf(core),
      certain: this.#certainty.now,
    };
  }

  /** What a viewer begins with, at most `history` lines above the screen. */
  snapshot(history: number): { offset: number; cols: number; rows: number; data: string } {
    const data = this.#draw(history) + openSequenceOf(coreOf(this.terminal));
    return { offset: this.#offset, ...this.#size(), data };
  }

  /** What is shown, for people and programs that read. */
  view(scrollback: number, format: 'text' | 'ansi'): ScreenView {
    const core = coreOf(this.terminal);
    const { buffer } = core;
    const { screen, history } = this.#certainty.now;
    const above = Math.min(scrollback, buffer.ybase);
    const lines: string[] = [];
    for (let y = buffer.ybase - above; y < buffer.ybase + this.terminal.rows; y += 1) {
      lines.push((buffer.lines.get(y)?.translateToString(true) ?? '').trimEnd());
    }
    while (lines.at(-1) === '' && lines.length > above) lines.pop();
    return {
      offset: this.#offset,
      ...this.#size(),
      text: format === 'text' ? lines.join('\n') : this.#draw(scrollback),
      scrollback: above,
      cursor: {
        x: Math.min(buffer.x, this.terminal.cols - 1),
        y: buffer.y,
        visible: !core.coreService.isCursorHidden,
      },
      alternateScreen: this.terminal.buffer.active.type === 'alternate',
      title: this.#title,
      complete: screen && (scrollback === 0 || history),
    };
  }

  dispose(): void {
    this.#certainty.dispose();
    this.terminal.dispose();
  }

  #size() {
    return { cols: this.terminal.cols, rows: this.terminal.rows };
  }

  #draw(history: number): string {
    const title = this.#title === null ? '' : `\x1b]2;${this.#title}\x1b\\`;
    return title + serializeColours(this.terminal) + serializeScreen(coreOf(this.terminal), history);
  }

  #restore(state: TerminalState): void {
    const core = coreOf(this.terminal);
    core.writeSync(state.serialized);
    applyRemainder(core, state.remainder);
    if (!state.certain.screen || !state.certain.history) this.#certainty.lose();
  }

  #parse(data: Buffer, answers: boolean): void {
    if (data.length === 0) return;
    this.#asked = answers ? { offset: this.#offset + data.length, nth: 0 } : undefined;
    try {
      coreOf(this.terminal).writeSync(data);
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#onFault?.({ offset: this.#offset + data.length, message });
      // Output at which the terminal fails would fail again after each start of the thread, and take all screens with it.
      recoverWriting(coreOf(this.terminal));
      this.#certainty.lose();
    }
    this.#asked = undefined;
    this.#offset += data.length;
  }

  #answer(data: string): void {
    if (this.#asked === undefined) return;
    this.#onAnswer?.({ ...this.#asked, data });
    this.#asked.nth += 1;
  }

  #beginAnew(answers: boolean): void {
    const data = Buffer.concat(this.#seeking?.parts ?? []);
    this.#seeking = undefined;
    const { at, kind } = startIn(data);
    if (kind === 'line') coreOf(this.terminal).writeSync('\r');
    this.#offset += at;
    this.write(data.subarray(at), answers);
  }
}

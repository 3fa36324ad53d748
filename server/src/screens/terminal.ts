import { SCREEN_HISTORY_LINES } from '@agent-console/shared/limits/screens';
import type { Terminal } from '@xterm/headless';
import { lastSequenceBoundary } from '../domain/output-text.ts';
import type { ScreenView } from '../ports/screens.ts';
import type { TerminalState } from './checkpoint.ts';
import { GapTracker } from './gap-tracker.ts';
import { newTerminal } from './headless.ts';
import { applyHiddenState, hiddenStateOf } from './hidden-state.ts';
import { coreOf, isGround, openSequenceOf, prepareResize, recoverWriting, tidyAfterResize } from './internals.ts';
import { queryEnds, registerAnswers, serializeColours } from './queries.ts';
import { serializeScreen } from './serialize.ts';

export interface ScreenTerminalOptions {
  cols: number;
  rows: number;
  offset: number;
  /** Maximum number of lines of history above the screen. */
  history?: number;
  state?: TerminalState;
  /** Called with the answer to a query that ends at `offset`. `nth` numbers the answers to the same query from 0. */
  onAnswer?: (answer: { offset: number; nth: number; data: string }) => void;
  /**
   * Called when the terminal failed to draw the output that ends at `offset`. The terminal continues after this output.
   */
  onFault?: (fault: { offset: number; message: string }) => void;
}

/**
 * A headless terminal at an offset of a worker's output. An incomplete escape sequence or character is buffered until
 * it is complete. So the terminal is always between sequences, where its state can be stored and viewers can continue.
 */
export class ScreenTerminal {
  readonly terminal: Terminal;
  readonly #history: number;
  readonly #gaps: GapTracker;
  readonly #onAnswer: ScreenTerminalOptions['onAnswer'];
  readonly #onFault: ScreenTerminalOptions['onFault'];
  #offset: number;
  #incomplete: Buffer = Buffer.alloc(0);
  #title: string | null = null;
  /** Set after output was skipped, while output is collected to find a point from which the terminal can draw again. */
  #startSearch: { until: number; parts: Buffer[] } | undefined;
  #query: { offset: number; nth: number } | undefined;

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
    registerAnswers(this.terminal, (data) => this.#answer(data));
    this.#gaps = new GapTracker(this.terminal);
    if (state !== undefined) this.#restore(state);
  }

  /** Offset up to which the output is drawn. */
  get offset(): number {
    return this.#offset;
  }

  /** Log offset of the next byte that `write` must receive. */
  get next(): number {
    const collected = this.#startSearch?.parts.reduce((sum, part) => sum + part.length, 0) ?? 0;
    return this.#offset + this.#incomplete.length + collected;
  }

  /** Writes output that begins at `next`. @param answers whether queries in the output are answered. */
  write(data: Buffer, answers = false): void {
    if (this.#startSearch !== undefined) {
      this.#startSearch.parts.push(data);
      if (this.next >= this.#startSearch.until) this.#restart(answers);
      return;
    }
    const all = this.#incomplete.length === 0 ? data : Buffer.concat([this.#incomplete, data]);
    const end = lastSequenceBoundary(all);
    this.#incomplete = Buffer.from(all.subarray(end));
    let at = 0;
    if (answers && this.#onAnswer !== undefined) {
      for (const queryEnd of queryEnds(all.subarray(0, end))) {
        this.#parse(all.subarray(at, queryEnd), true);
        at = queryEnd;
      }
    }
    this.#parse(all.subarray(at, end), answers);
  }

  /** Resizes the terminal. The new size applies to output that is written after this call. */
  resize(cols: number, rows: number): void {
    prepareResize(coreOf(this.terminal));
    // The terminal needs at least two columns and one row.
    this.terminal.resize(Math.max(2, cols), Math.max(1, rows));
    tidyAfterResize(coreOf(this.terminal));
  }

  /**
   * Skips the output before `offset`. Buffers the output from there to `until`, then draws it from the index that
   * `findStart` returns.
   */
  skip(offset: number, until: number): void {
    this.#incomplete = Buffer.alloc(0);
    this.#offset = offset;
    this.#gaps.markGap();
    this.#startSearch = until > offset ? { until, parts: [] } : undefined;
    // The output before the gap may end inside a sequence or character. CAN (`\x18`) ends the sequence, and clearing
    // the decoder drops the character.
    coreOf(this.terminal)._inputHandler._utf8Decoder.clear();
    coreOf(this.terminal).writeSync('\x18');
  }

  /**
   * Returns the complete state of the terminal. Returns undefined inside a sequence that is too long to be buffered,
   * and while the terminal still collects output to find a point from which it can draw again (see `skip`).
   */
  state(): TerminalState | undefined {
    const core = coreOf(this.terminal);
    if (!isGround(core) || this.#startSearch !== undefined) return undefined;
    return {
      offset: this.#offset,
      ...this.#size(),
      serialized: this.#draw(this.#history),
      remainder: hiddenStateOf(core),
      certain: this.#gaps.intact,
    };
  }

  /** Returns a snapshot with which a viewer starts, with at most `history` lines above the screen. */
  snapshot(history: number): { offset: number; cols: number; rows: number; data: string } {
    const data = this.#draw(history) + openSequenceOf(coreOf(this.terminal));
    return { offset: this.#offset, ...this.#size(), data };
  }

  /** Returns the content of the screen, with at most `scrollback` lines above it. */
  view(scrollback: number, format: 'text' | 'ansi'): ScreenView {
    const core = coreOf(this.terminal);
    const { buffer } = core;
    const { screen, history } = this.#gaps.intact;
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
    this.#gaps.dispose();
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
    applyHiddenState(core, state.remainder);
    if (!state.certain.screen || !state.certain.history) this.#gaps.markGap();
  }

  #parse(data: Buffer, answers: boolean): void {
    if (data.length === 0) return;
    this.#query = answers ? { offset: this.#offset + data.length, nth: 0 } : undefined;
    try {
      coreOf(this.terminal).writeSync(data);
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.#onFault?.({ offset: this.#offset + data.length, message });
      // Without this call, the thread would fail again at the same output after each restart, and each failure would
      // end all screens.
      recoverWriting(coreOf(this.terminal));
      this.#gaps.markGap();
    }
    this.#query = undefined;
    this.#offset += data.length;
  }

  #answer(data: string): void {
    if (this.#query === undefined) return;
    this.#onAnswer?.({ ...this.#query, data });
    this.#query.nth += 1;
  }

  #restart(answers: boolean): void {
    const data = Buffer.concat(this.#startSearch?.parts ?? []);
    this.#startSearch = undefined;
    const { at, kind } = findStart(data);
    if (kind === 'line') coreOf(this.terminal).writeSync('\r');
    this.#offset += at;
    this.write(data.subarray(at), answers);
  }
}

const HOME = '\\x1b\\[(?:1?;?1?)H';
const CLEAR = '\\x1b\\[[23]J';
const BETWEEN = '(?:\\x1b\\[[\\d;:]*m|\\x1b\\[\\?25[hl]|\\x1b\\[3J)*';
/**
 * Matches a point from which a terminal can draw without the earlier output: a reset, a switch to the alternate screen,
 * or a cleared screen with the cursor at home.
 */
const RESTART = new RegExp(
  ['\\x1bc', '\\x1b\\[\\?(?:1049|1047|47)h', `${HOME}${BETWEEN}\\x1b\\[[023]?J`, `${CLEAR}${BETWEEN}${HOME}`].join('|'),
);

/**
 * Returns the index in `data` at which a terminal can start to draw without the earlier output. Prefers the first match
 * of RESTART, then the start of the first complete line, then the first escape sequence, then 0.
 */
function findStart(data: Buffer): { at: number; kind: 'restart' | 'line' | 'sequence' } {
  const restart = RESTART.exec(data.toString('latin1'));
  if (restart !== null) return { at: restart.index, kind: 'restart' };
  const line = data.indexOf(0x0a) + 1;
  if (line > 0) return { at: line, kind: 'line' };
  return { at: Math.max(0, data.indexOf(0x1b)), kind: 'sequence' };
}

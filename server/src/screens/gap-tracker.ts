import type { IDisposable, Terminal } from '@xterm/headless';
import { coreOf } from './internals.ts';

/**
 * Tracks which parts of a terminal are correct after a gap in its output. A reset, a cleared screen with a known cursor
 * position, or a switch to the alternate screen makes the screen correct immediately. Plain lines make the screen
 * correct when they have scrolled out everything that was drawn before the gap.
 */
export class GapTracker {
  readonly #terminal: Terminal;
  /**
   * Marker of the row that was the last row of the normal screen at the gap. All rows below this row were drawn after
   * the gap.
   */
  #normalMark: { readonly line: number; readonly isDisposed: boolean; dispose(): void } | undefined;
  #normalScreen = true;
  #alternateScreen = true;
  #history = true;
  #isHomed = false;
  #isCleared = false;
  #handlers: IDisposable[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Whether the screen, and the lines above it, are the same as without gaps in the output. */
  get intact(): { screen: boolean; history: boolean } {
    this.#update();
    const alternate = this.#terminal.buffer.active.type === 'alternate';
    return { screen: alternate ? this.#alternateScreen : this.#normalScreen, history: this.#history };
  }

  /** Records that output is missing at the current offset. */
  markGap(): void {
    const { normal } = coreOf(this.#terminal)._bufferService.buffers;
    this.#stop();
    this.#normalMark = normal.addMarker(normal.lines.length - 1);
    this.#normalScreen = false;
    this.#alternateScreen = false;
    this.#history = false;
    this.#isHomed = false;
    this.#isCleared = false;
    const { parser, buffer } = this.#terminal;
    this.#handlers = [
      parser.registerCsiHandler({ final: 'J' }, ([mode]) => {
        if (mode === 3) this.#history = true;
        this.#isCleared ||= mode === 2 || ((mode ?? 0) === 0 && this.#isAtHome());
        return this.#checkHomedAndCleared();
      }),
      ...(['H', 'f'] as const).map((final) =>
        parser.registerCsiHandler({ final }, () => {
          this.#isHomed = true;
          return this.#checkHomedAndCleared();
        }),
      ),
      parser.registerEscHandler({ final: 'c' }, () => {
        this.#normalScreen = true;
        this.#alternateScreen = true;
        this.#history = true;
        return false;
      }),
      buffer.onBufferChange(({ type }) => {
        if (type === 'alternate') this.#alternateScreen = true;
      }),
    ];
  }

  dispose(): void {
    this.#stop();
  }

  #isAtHome(): boolean {
    const { active } = this.#terminal.buffer;
    return this.#isHomed && active.cursorX === 0 && active.cursorY === 0;
  }

  #checkHomedAndCleared(): false {
    if (this.#isHomed && this.#isCleared) {
      if (this.#terminal.buffer.active.type === 'alternate') this.#alternateScreen = true;
      else this.#normalScreen = true;
    }
    return false;
  }

  #update(): void {
    const mark = this.#normalMark;
    if (mark === undefined) return;
    const { normal } = coreOf(this.#terminal)._bufferService.buffers;
    if (mark.isDisposed || mark.line < normal.ybase) this.#normalScreen = true;
    if (mark.isDisposed) this.#history = true;
    // A hidden alternate screen counts as correct, because switching to it clears it.
    if (this.#terminal.buffer.active.type === 'normal' && this.#normalScreen) this.#alternateScreen = true;
    if (this.#normalScreen && this.#alternateScreen && this.#history) this.#stop();
  }

  #stop(): void {
    for (const handler of this.#handlers) handler.dispose();
    this.#handlers = [];
    this.#normalMark?.dispose();
    this.#normalMark = undefined;
  }
}

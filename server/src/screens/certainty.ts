import type { IDisposable, Terminal } from '@xterm/headless';
import { coreOf } from './internals.ts';

/**
 * After a gap in what a terminal was given: which part of what it shows is known to be right. A reset, a cleared screen
 * and a fresh alternate screen make the screen certain at once; plain lines do so by pushing out what was there.
 */
export class Certainty {
  readonly #terminal: Terminal;
  /** Last row of the normal screen at the gap; below it everything is new. */
  #normalMark: { readonly line: number; readonly isDisposed: boolean; dispose(): void } | undefined;
  #normalScreen = true;
  #alternateScreen = true;
  #history = true;
  #isHomed = false;
  #isCleared = false;
  #watching: IDisposable[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Whether the screen, and the lines above it, are what the whole output would have made. */
  get now(): { screen: boolean; history: boolean } {
    this.#look();
    const alternate = this.#terminal.buffer.active.type === 'alternate';
    return { screen: alternate ? this.#alternateScreen : this.#normalScreen, history: this.#history };
  }

  /** Output is missing here. */
  lose(): void {
    const { normal } = coreOf(this.#terminal)._bufferService.buffers;
    this.#stop();
    this.#normalMark = normal.addMarker(normal.lines.length - 1);
    this.#normalScreen = false;
    this.#alternateScreen = false;
    this.#history = false;
    this.#isHomed = false;
    this.#isCleared = false;
    const { parser, buffer } = this.#terminal;
    this.#watching = [
      parser.registerCsiHandler({ final: 'J' }, ([how]) => {
        if (how === 3) this.#history = true;
        this.#isCleared ||= how === 2 || ((how ?? 0) === 0 && this.#isAtHome());
        return this.#homedAndCleared();
      }),
      ...(['H', 'f'] as const).map((final) =>
        parser.registerCsiHandler({ final }, () => {
          this.#isHomed = true;
          return this.#homedAndCleared();
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

  #homedAndCleared(): false {
    if (this.#isHomed && this.#isCleared) {
      if (this.#terminal.buffer.active.type === 'alternate') this.#alternateScreen = true;
      else this.#normalScreen = true;
    }
    return false;
  }

  #look(): void {
    const mark = this.#normalMark;
    if (mark === undefined) return;
    const { normal } = coreOf(this.#terminal)._bufferService.buffers;
    if (mark.isDisposed || mark.line < normal.ybase) this.#normalScreen = true;
    if (mark.isDisposed) this.#history = true;
    // An alternate screen that is not shown is made new when it is.
    if (this.#terminal.buffer.active.type === 'normal' && this.#normalScreen) this.#alternateScreen = true;
    if (this.#normalScreen && this.#alternateScreen && this.#history) this.#stop();
  }

  #stop(): void {
    for (const each of this.#watching) each.dispose();
    this.#watching = [];
    this.#normalMark?.dispose();
    this.#normalMark = undefined;
  }
}

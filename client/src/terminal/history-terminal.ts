import { DASHBOARD_HISTORY_LINES, DASHBOARD_HISTORY_STEP_BYTES } from '@agent-console/shared/limits/dashboard';
import type { Size } from './connection.ts';
import { Emulator } from './emulator.ts';
import { attachInputGuards } from './input-guards.ts';
import { StoredOutput } from './stored-output.ts';

export interface HistoryPosition {
  /**
   * Log offset at which the earlier output ends. It is the end of the output that the live terminal had received when
   * the user opened the earlier output.
   */
  until: number;
  /** Number of lines from the first visible line to the end of the output. */
  fromEnd: number;
  size: Size;
  fontSize: number;
}

interface WorkerIds {
  sessionId: string;
  workerId: string;
}

export interface HistoryTerminalEvents {
  /** Called when the output is loaded and scrolled to the lines that the reader saw in the live terminal. */
  onReady(): void;
  onScrolled(at: { start: boolean; end: boolean }): void;
  onLink(address: string): void;
  onLeave(): void;
  onFailed(reason: string): void;
}

/**
 * Read-only terminal that replays output from the log, including output that is older than the oldest line of the live
 * terminal. It is separate from the live terminal, because output from the middle of the log may lack earlier sequences
 * that set terminal modes.
 */
export class HistoryTerminal {
  readonly emulator: Emulator;
  readonly from: number;
  readonly workerId: string;
  readonly #position: HistoryPosition;
  readonly #events: HistoryTerminalEvents;
  readonly #output: StoredOutput;
  #box: HTMLElement | undefined;
  /**
   * Whether the terminal has been scrolled to the lines that the reader saw in the live terminal. Scroll events before
   * that do not come from the reader and are ignored.
   */
  #isPlaced = false;

  /** @param back number of bytes to read before the offset `position.until` */
  constructor(live: WorkerIds, back: number, position: HistoryPosition, events: HistoryTerminalEvents) {
    this.workerId = live.workerId;
    this.#position = position;
    this.#events = events;
    this.from = Math.max(0, position.until - back);
    this.emulator = new Emulator({
      scrollback: DASHBOARD_HISTORY_LINES,
      fontSize: position.fontSize,
      onLink: (address) => events.onLink(address),
    });
    const { terminal, host } = this.emulator;
    terminal.options.disableStdin = true;
    terminal.options.cursorInactiveStyle = 'none';
    terminal.resize(position.size.cols, position.size.rows);
    // xterm renders after every scroll, so this event also reports scrolling.
    terminal.onRender(() => this.#scrolled());
    attachInputGuards(terminal, host, { onLeave: events.onLeave, onPaste: () => {} });
    host.addEventListener('keydown', (event) => event.key === 'Escape' && events.onLeave(), true);
    this.#output = this.#read(live);
  }

  /**
   * Number of bytes before `position.until` that the next request reads. Undefined if no earlier output exists, or if
   * the terminal already has its maximum number of lines.
   */
  get further(): number | undefined {
    return this.#output.beginsWithOldest || this.isFull
      ? undefined
      : this.#position.until - this.from + DASHBOARD_HISTORY_STEP_BYTES;
  }

  /** Whether the terminal has reached its maximum number of lines and may have dropped older lines. */
  get isFull(): boolean {
    const { buffer, rows } = this.emulator.terminal;
    return buffer.normal.length >= DASHBOARD_HISTORY_LINES + rows;
  }

  get isReady(): boolean {
    return this.#isPlaced;
  }

  /** Sets the container in which the terminal appears when its output is loaded. */
  show(box: HTMLElement): void {
    this.#box = box;
    // xterm can measure and scroll only after it was attached to the page. It is detached again at once, because xterm
    // parses faster while detached.
    this.emulator.show(box);
    this.emulator.hide();
  }

  position(): HistoryPosition {
    const { length, viewportY } = this.emulator.terminal.buffer.active;
    return { ...this.#position, fromEnd: length - viewportY };
  }

  dispose(): void {
    this.#output.close();
    this.emulator.dispose();
  }

  #read({ sessionId, workerId }: WorkerIds): StoredOutput {
    const { emulator, from } = this;
    const { until } = this.#position;
    return new StoredOutput(
      { sessionId, workerId, from, until },
      {
        onOutput: (bytes, shown) => emulator.queue.write(bytes, shown),
        onResized: (size) => emulator.resizeInOrder(size),
        onRestart: (size) => emulator.restart(size, ''),
        onEnd: () => emulator.queue.act(() => this.#reveal()),
        onFailed: (reason) => this.#events.onFailed(reason),
      },
    );
  }

  #reveal(): void {
    const { terminal } = this.emulator;
    if (this.#box !== undefined) this.emulator.show(this.#box);
    terminal.scrollToLine(Math.max(0, terminal.buffer.active.length - this.#position.fromEnd));
    terminal.focus();
    this.#isPlaced = true;
    this.#events.onReady();
  }

  #scrolled(): void {
    if (!this.#isPlaced) return;
    const { baseY, viewportY } = this.emulator.terminal.buffer.active;
    this.#events.onScrolled({ start: viewportY === 0, end: viewportY === baseY });
  }
}

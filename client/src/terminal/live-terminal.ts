import { DASHBOARD_SCROLLBACK_LINES } from '@agent-console/shared/limits/dashboard';
import { PHONE } from '../ui/use-media.ts';
import { type ConnectionEvents, type Size, TerminalConnection } from './connection.ts';
import { Emulator } from './emulator.ts';
import { type Dimensions, fontToFit } from './fit-font.ts';
import type { HistoryPosition } from './history-terminal.ts';
import { attachInputGuards } from './input-guards.ts';
import { executedLines, isReport, sanitizePaste } from './input-rules.ts';
import { ObservableState } from './observable-state.ts';
import { INITIAL_STATE, type TerminalState } from './terminal-state.ts';

/**
 * Font sizes in pixels. If another viewer sets the terminal's size, the font shrinks until the screen fits. The
 * smallest size is `smallest`, on a phone `phone`, and in a preview `preview`. A screen that is still too large
 * scrolls.
 */
const FONT = { normal: 13, phone: 11, smallest: 8, preview: 6 };
const RESIZE_SETTLE_MS = 80;
/**
 * Matches on a phone. There, the terminal is read-only until the user allows typing, and other viewers control the size
 * of the terminal until the user fits it to the window.
 */
const phone = matchMedia(PHONE);
/** Delay in milliseconds before a hidden terminal disconnects, so that switching views does not reconnect it. */
const SUSPEND_AFTER_MS = 1_500;
/** Delay in milliseconds before a shown terminal disconnects because its browser tab is in the background. */
const BACKGROUND_AFTER_MS = 30_000;
/** Minimum milliseconds between two attempts of a typing viewer to take control of the terminal's size. */
const TAKE_GAP_MS = 5_000;
const HIDE_CURSOR = '\x1b[?25l';
/** If a snapshot has at least this many lines above the screen, the console may have left out earlier lines. */
const SNAPSHOT_LINES_FULL = 900;

/** The terminal of a worker with its connection, whether or not the terminal is attached to the page. */
export class LiveTerminal {
  readonly sessionId: string;
  readonly workerId: string;
  readonly state: ObservableState<TerminalState>;
  readonly emulator: Emulator;
  readonly #link: TerminalConnection;
  readonly #isWatchOnly: boolean;
  readonly #observer = new ResizeObserver(() => this.#settleThenFit());
  #settle: ReturnType<typeof setTimeout> | undefined;
  #suspension: ReturnType<typeof setTimeout> | undefined;
  #takenAt = Number.NEGATIVE_INFINITY;
  #box: HTMLElement | undefined;
  #wasShown = false;
  #onLeave: () => void = () => {};
  readonly #onVisibility = () => {
    if (document.visibilityState === 'hidden') this.#suspendAfter(BACKGROUND_AFTER_MS);
    else if (this.#box !== undefined) this.#resume();
  };
  /** Whether the console allows this connection to set the terminal's size. */
  #mayDrive = false;
  #isNewConnection = true;
  /** False if the viewer only watches, so that it never sets the terminal's size. */
  readonly #wantsDrive: boolean;
  #asked: Size | undefined;
  #mayHaveEarlier = false;
  /** Whether the user tried to scroll up beyond the first line. If so, the terminal offers to load earlier output. */
  #pulledDown = false;

  /** @param watchOnly whether the viewer only watches, so that it neither types nor sets the terminal's size */
  constructor(sessionId: string, workerId: string, { watchOnly = false } = {}) {
    this.sessionId = sessionId;
    this.workerId = workerId;
    this.#isWatchOnly = watchOnly;
    this.#wantsDrive = !watchOnly;
    this.state = new ObservableState<TerminalState>({ ...INITIAL_STATE, typing: !phone.matches && !watchOnly });
    this.emulator = new Emulator({
      scrollback: DASHBOARD_SCROLLBACK_LINES,
      fontSize: this.#baseFont(),
      onLink: (address) => this.state.set({ question: { kind: 'link', address } }),
    });
    const { terminal, host } = this.emulator;
    terminal.options.disableStdin = !this.state.get().typing;
    terminal.onData((data) => this.#typed(data));
    // xterm renders after every scroll, so this event also reports scrolling.
    terminal.onRender(() => this.#scrolled());
    attachInputGuards(terminal, host, {
      onLeave: () => this.#onLeave(),
      onPaste: (text) => this.#pasted(text),
      onScrollUp: () => {
        this.#pulledDown = true;
        this.#scrolled();
      },
    });
    this.#link = this.#connect();
    document.addEventListener('visibilitychange', this.#onVisibility);
  }

  /** Whether the terminal can be disposed without losing input. */
  get isSettled(): boolean {
    return this.#link.bufferedChars === 0;
  }

  /** Whether the page has shown the terminal before and does not show it now. */
  get isHidden(): boolean {
    return this.#wasShown && this.#box === undefined;
  }

  /** Attaches the terminal to a container. Returns a function that detaches it. */
  show(box: HTMLElement, onLeave: () => void): () => void {
    this.#hide();
    this.#box = box;
    this.#wasShown = true;
    this.#onLeave = onLeave;
    this.#resume();
    this.emulator.show(box);
    this.#observer.observe(box);
    this.emulator.queue.act(() => this.#fit());
    this.#scrolled();
    return () => {
      if (this.#box === box) this.#hide();
    };
  }

  focus(): void {
    this.emulator.terminal.focus();
  }

  takeDriver(): void {
    this.#link.takeDriver();
    this.focus();
  }

  setTyping(typing: boolean): void {
    this.emulator.terminal.options.disableStdin = !typing || this.state.get().ended !== undefined;
    this.state.set({ typing });
    if (typing) this.focus();
  }

  retryNow(): void {
    this.#link.retryNow();
  }

  scrollToEnd(): void {
    this.emulator.terminal.scrollToBottom();
    this.#scrolled();
  }

  /** Passes the position of this terminal to `then`. A `HistoryTerminal` at this position shows the same lines. */
  position(then: (position: HistoryPosition) => void): void {
    this.emulator.queue.act(() => {
      const { cols, rows, buffer } = this.emulator.terminal;
      then({
        until: this.#link.offset ?? 0,
        fromEnd: buffer.active.length - buffer.active.viewportY,
        size: { cols, rows },
        fontSize: this.emulator.fontSize,
      });
    });
  }

  /**
   * Closes the question, and pastes the text if the person confirmed a paste. A confirmed link needs no action here,
   * because the browser opens it.
   */
  answer(yes: boolean): void {
    const { question } = this.state.get();
    this.state.set({ question: undefined });
    if (yes && question?.kind === 'paste') this.emulator.terminal.paste(question.text);
  }

  dispose(): void {
    this.#hide();
    clearTimeout(this.#suspension);
    document.removeEventListener('visibilitychange', this.#onVisibility);
    this.#link.close();
    this.emulator.dispose();
  }

  #connect(): TerminalConnection {
    const { emulator, state } = this;
    const events: ConnectionEvents = {
      onOutput: (bytes, shown) => emulator.queue.write(bytes, shown),
      onSnapshot: ({ offset, cols, rows, data }) => {
        emulator.restart({ cols, rows }, data, () => {
          const above = emulator.terminal.buffer.normal.baseY;
          this.#mayHaveEarlier = offset > 0 && (above >= SNAPSHOT_LINES_FULL || data.length * 4 < offset);
          this.#resized();
          this.#scrolled();
        });
      },
      onResized: (size) => emulator.resizeInOrder(size, () => this.#resized()),
      onExit: (exitCode, signal) => {
        emulator.queue.write(HIDE_CURSOR);
        emulator.terminal.options.disableStdin = true;
        state.set({ ended: { exitCode, signal }, connection: { kind: 'open' } });
        this.#setDriving();
      },
      onDriver: (you) => {
        // The first `driver` frame of a connection says whether another viewer sets the size. If the other viewer is
        // not typing, this viewer takes control of the size. A phone never takes control from another viewer.
        if (this.#isNewConnection && !you && this.#wantsDrive && !phone.matches) this.#link.takeDriverIfIdle();
        this.#isNewConnection = false;
        this.#mayDrive = you;
        this.#asked = undefined;
        this.#setDriving();
      },
      onState: (connection) => {
        if (connection.kind === 'open') {
          this.#asked = undefined;
          this.#isNewConnection = true;
        }
        // Hides a problem that the previous connection reported.
        state.set({ connection, problem: undefined });
      },
      onInput: () => {
        const buffered = this.#link?.bufferedChars ?? 0;
        state.set({ buffered, ...(buffered === 0 ? { isBufferFull: false } : {}) });
      },
      onProblem: (problem) => state.set({ problem }),
    };
    return new TerminalConnection(this.sessionId, this.workerId, events, { watch: this.#isWatchOnly });
  }

  #typed(data: string): void {
    if (this.state.get().connection.kind !== 'open' && isReport(data)) return;
    this.state.set({ isBufferFull: !this.#link.type(data), problem: undefined });
    if (!this.state.get().driving && performance.now() - this.#takenAt > TAKE_GAP_MS) {
      this.#takenAt = performance.now();
      this.#link.takeDriverIfIdle();
    }
  }

  #pasted(pasted: string): void {
    const text = sanitizePaste(pasted);
    if (text === '' || this.emulator.terminal.options.disableStdin) return;
    const lines = executedLines(text);
    if (lines > 0 && !this.emulator.terminal.modes.bracketedPasteMode) {
      this.state.set({ question: { kind: 'paste', text, lines } });
    } else {
      this.emulator.terminal.paste(text);
    }
  }

  #hide(): void {
    if (this.#box === undefined) return;
    this.#observer.disconnect();
    clearTimeout(this.#settle);
    this.#box = undefined;
    this.emulator.hide();
    this.#suspendAfter(SUSPEND_AFTER_MS);
  }

  #suspendAfter(ms: number): void {
    clearTimeout(this.#suspension);
    this.#suspension = setTimeout(() => this.#link.suspend(), ms);
  }

  #resume(): void {
    clearTimeout(this.#suspension);
    this.#link.resume();
  }

  #setDriving(): void {
    this.state.set({ driving: this.#mayDrive && this.#wantsDrive && this.state.get().ended === undefined });
    this.emulator.queue.act(() => this.#fit());
  }

  #resized(): void {
    const { cols, rows } = this.emulator.terminal;
    this.state.set({ size: { cols, rows } });
    this.#fit();
  }

  #settleThenFit(): void {
    clearTimeout(this.#settle);
    this.#settle = setTimeout(() => this.emulator.queue.act(() => this.#fit()), RESIZE_SETTLE_MS);
  }

  /**
   * Fits the terminal to its box. If this viewer sets the size, the screen gets the size of the box. Otherwise the font
   * shrinks until the screen fits.
   */
  #fit(): void {
    const box = this.#box;
    if (box === undefined || box.clientWidth === 0 || box.clientHeight === 0) return;
    const { emulator } = this;
    const { driving } = this.state.get();
    emulator.host.toggleAttribute('data-watching', !driving);
    const base = this.#baseFont();
    if (!driving) {
      // A watch-only terminal shows the last lines that fit, so only the width limits the font size.
      const height = this.#isWatchOnly ? Number.POSITIVE_INFINITY : box.clientHeight - 10;
      this.#shrink({ width: box.clientWidth - 26, height }, base);
      return;
    }
    emulator.setFontSize(base);
    emulator.host.removeAttribute('data-scrolls');
    const size = emulator.sizeToFill();
    if (size === undefined) return;
    const { cols, rows } = this.#asked ?? emulator.terminal;
    if (size.cols === cols && size.rows === rows) return;
    this.#asked = size;
    this.#link.resize(size);
  }

  #shrink(room: Dimensions, largest: number): void {
    const { emulator } = this;
    const smallest = this.#isWatchOnly ? FONT.preview : phone.matches ? FONT.phone : FONT.smallest;
    const size = fontToFit(room, { now: emulator.fontSize, smallest, largest }, (fontSize) =>
      emulator.drawnAt(fontSize),
    );
    emulator.setFontSize(size);
    const { width, height } = emulator.drawnAt(size);
    emulator.host.toggleAttribute('data-scrolls', width > room.width || height > room.height);
  }

  #scrolled(): void {
    const { buffer, rows } = this.emulator.terminal;
    const { baseY, viewportY, length, type } = buffer.active;
    if (viewportY > 0) this.#pulledDown = false;
    const isTrimmed = length >= DASHBOARD_SCROLLBACK_LINES + rows;
    this.state.set({
      atStart:
        type === 'normal' && viewportY === 0 && (baseY > 0 || this.#pulledDown) && (isTrimmed || this.#mayHaveEarlier),
      below: baseY - viewportY,
    });
  }

  #baseFont(): number {
    return phone.matches ? FONT.phone : FONT.normal;
  }
}

import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { h, setText } from '../dom.ts';
import { TerminalLink } from './link.ts';
import { leaveQuestionsUnanswered } from './queries.ts';
import { onSystemTheme, systemTheme } from './theme.ts';

const FONT = '"JetBrains Mono", ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';
const SCROLLBACK_LINES = 5_000;
/** A window that is being dragged settles before its size is sent. */
const RESIZE_SETTLE_MS = 80;
/** A phone looks on; only when asked does it make the terminal as narrow as itself. */
const narrow = matchMedia('(max-width: 700px)');

export interface TerminalView {
  element: HTMLElement;
  focus(): void;
  close(): void;
}

/** The terminal of one worker: what it prints, and a keyboard for it. */
export function terminalView(sessionId: string, workerId: string, onLeave: () => void): TerminalView {
  const screen = h('div', { class: 'screen' });
  const note = h('span', { class: 'note', role: 'status' });
  const take = h('button', { class: 'take', type: 'button', text: 'Fit to this window', hidden: true });
  const size = h('span', { class: 'size' });
  // Always there, so that no message ever changes the terminal's size.
  const bar = h('div', { class: 'terminal-bar' }, note, take, size);
  const element = h('div', { class: 'terminal' }, screen, bar);

  const terminal = new Terminal({
    fontFamily: FONT,
    fontSize: narrow.matches ? 11 : 13,
    lineHeight: 1.15,
    scrollback: SCROLLBACK_LINES,
    theme: systemTheme(),
    // Agents choose colours for a background they do not know.
    minimumContrastRatio: 4.5,
    cursorInactiveStyle: 'outline',
    // Links that a program prints are text here: nothing opens by a click.
    linkHandler: { activate: () => {} },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  leaveQuestionsUnanswered(terminal);
  const stopTheme = onSystemTheme((theme) => {
    terminal.options.theme = theme;
  });

  let driving = false;
  let connected = false;
  let ended: string | undefined;
  let problem: string | undefined;
  let settle: number | undefined;

  /** Sizes change between the bytes before and after them, so they wait for what is still being drawn. */
  function resizeInOrder({ cols, rows }: { cols: number; rows: number }): void {
    terminal.write('', () => {
      if (terminal.cols !== cols || terminal.rows !== rows) terminal.resize(cols, rows);
      explain();
    });
  }

  function explain(): void {
    const watching = connected && !driving && ended === undefined;
    setText(note, ended ?? problem ?? (connected ? (watching ? 'Watching' : '') : 'Connecting…'));
    setText(size, connected ? `${terminal.cols} × ${terminal.rows}` : '');
    take.hidden = !watching || problem !== undefined;
    bar.dataset.kind = ended === undefined && problem !== undefined ? 'problem' : 'quiet';
  }

  function sendSize(): void {
    if (!driving || ended !== undefined || element.offsetParent === null) return;
    const fits = fit.proposeDimensions();
    if (fits === undefined || Number.isNaN(fits.cols) || fits.cols < 2 || fits.rows < 2) return;
    if (fits.cols !== terminal.cols || fits.rows !== terminal.rows) link.resize(fits.cols, fits.rows);
  }

  const link = new TerminalLink(sessionId, workerId, {
    onOutput: (bytes, shown) => terminal.write(bytes, shown),
    onRestart(at, data) {
      terminal.write('', () => terminal.reset());
      resizeInOrder(at);
      terminal.write(data);
    },
    onResized: resizeInOrder,
    onExit(exitCode, signal) {
      const how = signal !== null ? `signal ${signal}` : exitCode === null ? 'in an unknown way' : `code ${exitCode}`;
      ended = `Ended${signal === null && exitCode === null ? ' ' : ' with '}${how}.`;
      terminal.options.disableStdin = true;
      terminal.options.cursorBlink = false;
      explain();
    },
    onDriver(you) {
      driving = you && !narrow.matches;
      terminal.write('', sendSize);
      explain();
    },
    onState(state) {
      connected = state.kind === 'open';
      problem = state.kind === 'ended' ? state.reason : undefined;
      explain();
    },
    onProblem(message) {
      problem = message;
      explain();
    },
  });

  take.addEventListener('click', () => {
    driving = true;
    link.takeDriver();
    sendSize();
    terminal.focus();
  });
  terminal.onData((text) => {
    if (link.type(text)) return;
    problem = 'Not connected: what you type is not sent.';
    explain();
  });
  terminal.attachCustomKeyEventHandler((event) => {
    if (event.key !== 'Escape' || !event.shiftKey) return true;
    if (event.type === 'keydown') onLeave();
    return false;
  });
  const observer = new ResizeObserver(() => {
    clearTimeout(settle);
    settle = window.setTimeout(sendSize, RESIZE_SETTLE_MS);
  });

  // The library measures characters when it opens, so the box must be on the page by then.
  queueMicrotask(() => {
    terminal.open(screen);
    observer.observe(screen);
    explain();
  });

  return {
    element,
    focus: () => terminal.focus(),
    close() {
      observer.disconnect();
      clearTimeout(settle);
      stopTheme();
      link.close();
      terminal.dispose();
      element.remove();
    },
  };
}

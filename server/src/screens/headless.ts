import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/headless';
import { type Core, coreOf } from './internals.ts';

/**
 * Unicode version that determines the character widths in the dashboard. With another version here, text after an emoji
 * would be shifted.
 */
const UNICODE_VERSION = '11';

/** Creates a headless terminal with the character widths of the dashboard's terminal. */
export function newTerminal(size: { cols: number; rows: number; scrollback: number }): Terminal {
  const terminal = new Terminal({
    ...size,
    allowProposedApi: true,
    logLevel: 'off',
    windowOptions: { getWinSizeChars: true },
  });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = UNICODE_VERSION;
  fixEraseToLastCell(terminal);
  fixInsertionInWideCharacter(terminal);
  limitCounts(terminal);
  return terminal;
}

/**
 * Works around a bug: if a program erases from the start to a cursor in the very last cell, the terminal reads a line
 * after the last line, and throws. Erasing everything has the same result without the error.
 */
function fixEraseToLastCell(terminal: Terminal): void {
  for (const prefix of [undefined, '?']) {
    terminal.parser.registerCsiHandler({ ...(prefix && { prefix }), final: 'J' }, ([mode]) => {
      const { buffer, cols, rows, _inputHandler } = coreOf(terminal);
      const isLast = buffer.x >= cols - 1 && buffer.y === rows - 1 && buffer.lines.length <= rows;
      return mode === 1 && isLast && _inputHandler.eraseInDisplay({ params: [2] }, prefix === '?');
    });
  }
}

/**
 * Works around a bug of the terminal: blanks inserted in the middle of a wide character erase its first half and shift
 * its second half, which leaves an invisible cell that no sequence can restore. So the whole character is erased first.
 */
function fixInsertionInWideCharacter(terminal: Terminal): void {
  terminal.parser.registerCsiHandler({ final: '@' }, () => {
    const { buffer, _inputHandler } = coreOf(terminal);
    const line = buffer.lines.get(buffer.ybase + buffer.y);
    if (buffer.x > 0 && line?.getWidth(buffer.x - 1) === 2) _inputHandler.eraseChars({ params: [1] });
    return false;
  });
}

type Repeated = 'insertLines' | 'deleteLines' | 'scrollUp' | 'scrollDown' | 'cursorForwardTab' | 'cursorBackwardTab';

/** Sequences that the terminal executes step by step, with the number of steps after which nothing changes any more. */
const REPEATED: readonly [final: string, method: Repeated, steps: (core: Core) => number][] = [
  ['L', 'insertLines', ({ rows }) => rows],
  ['M', 'deleteLines', ({ rows }) => rows],
  ['S', 'scrollUp', ({ rows }) => rows],
  ['T', 'scrollDown', ({ rows }) => rows],
  ['I', 'cursorForwardTab', ({ cols }) => cols],
  ['Z', 'cursorBackwardTab', ({ cols }) => cols],
];

/**
 * Reduces a sequence's count to a lower count with the same result. A program can send a count of 2³¹ - 1, with which
 * the terminal would block all screens for hours.
 */
function limitCounts(terminal: Terminal): void {
  for (const [final, method, steps] of REPEATED) {
    terminal.parser.registerCsiHandler({ final }, ([count]) => {
      const core = coreOf(terminal);
      return Number(count) > steps(core) && core._inputHandler[method]({ params: [steps(core)] });
    });
  }
  terminal.parser.registerCsiHandler({ final: 'b' }, ([count]) => {
    const { cols, rows, _inputHandler } = coreOf(terminal);
    // `filled` characters fill the screen and its history. More characters change only the column of the cursor. After
    // each `period` characters, narrow or wide, the cursor is in the same column again.
    const filled = cols * (rows + (terminal.options.scrollback ?? 0) + 1);
    const period = cols * Math.floor(cols / 2);
    const rest = Number(count) - filled;
    return rest > period && _inputHandler.repeatPrecedingCharacter({ params: [filled + (rest % period)] });
  });
}

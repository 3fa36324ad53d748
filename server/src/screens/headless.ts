import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/headless';
import { coreOf } from './internals.ts';

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
 * its second half, which leaves an invisible cell that no sequence can restore. So both halves are erased.
 */
function fixInsertionInWideCharacter(terminal: Terminal): void {
  terminal.parser.registerCsiHandler({ final: '@' }, () => {
    const { buffer, _inputHandler } = coreOf(terminal);
    const line = buffer.lines.get(buffer.ybase + buffer.y);
    if (buffer.x > 0 && line?.getWidth(buffer.x - 1) === 2) _inputHandler.eraseChars({ params: [1] });
    return false;
  });
}

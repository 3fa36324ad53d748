import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/headless';
import { coreOf } from './internals.ts';

/** Version of Unicode whose widths a page's terminal has; with other ones each emoji shifts what follows it. */
const UNICODE_VERSION = '11';

/** A terminal without a window that measures characters as a page's terminal does. */
export function newTerminal(size: { cols: number; rows: number; scrollback: number }): Terminal {
  const terminal = new Terminal({
    ...size,
    allowProposedApi: true,
    logLevel: 'off',
    windowOptions: { getWinSizeChars: true },
  });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = UNICODE_VERSION;
  eraseUpToTheEnd(terminal);
  eraseHalfAtInsertion(terminal);
  return terminal;
}

/**
 * Erasing up to the cursor in the very last cell makes the terminal look at a line behind the last one, and throw. It is
 * the same as erasing everything, which does not.
 */
function eraseUpToTheEnd(terminal: Terminal): void {
  for (const prefix of [undefined, '?']) {
    terminal.parser.registerCsiHandler({ ...(prefix && { prefix }), final: 'J' }, ([how]) => {
      const { buffer, cols, rows, _inputHandler } = coreOf(terminal);
      const isLast = buffer.x >= cols - 1 && buffer.y === rows - 1 && buffer.lines.length <= rows;
      return how === 1 && isLast && _inputHandler.eraseInDisplay({ params: [2] }, prefix === '?');
    });
  }
}

/**
 * Blanks inserted in the middle of a wide character erase its first half, and would push its second half on: a cell that
 * is not drawn and that no sequence could put there again. It is erased with the first.
 */
function eraseHalfAtInsertion(terminal: Terminal): void {
  terminal.parser.registerCsiHandler({ final: '@' }, () => {
    const { buffer, _inputHandler } = coreOf(terminal);
    const line = buffer.lines.get(buffer.ybase + buffer.y);
    if (buffer.x > 0 && line?.getWidth(buffer.x - 1) === 2) _inputHandler.eraseChars({ params: [1] });
    return false;
  });
}

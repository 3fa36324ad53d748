import type { Terminal } from '@xterm/headless';
import {
  type Attributes,
  BITS,
  type Cell,
  type Core,
  colourOf,
  coreOf,
  type ScreenBuffer,
} from '../../src/screens/internals.ts';

/**
 * Returns the attributes that affect how a cell is drawn. Leaves out:
 * - the target of a link (see `linksOf`): the terminal may forget the link of a deleted row, while the cell keeps its
 *   dashed underline
 * - bits left by an earlier colour of another kind, and the bit for extended attributes of a cell without underline and
 *   link: nothing reads these bits, and the next colour or underline overwrites them
 */
function lookOf({ fg, bg, extended }: Attributes): string {
  const isExtended = (bg & BITS.bg.extended) !== 0;
  const style = isExtended ? extended.underlineStyle : 0;
  // An underline without a style is drawn as a single line.
  const underline = style || (fg & BITS.fg.underline ? 1 : 0);
  const colour = underline > 0 && isExtended ? colourOf(extended.underlineColor) : 0;
  const flags = [fg & ~BITS.colour & ~BITS.fg.underline, bg & ~BITS.colour & ~BITS.bg.extended];
  return [...flags, colourOf(fg), colourOf(bg), underline, colour].join();
}

const PLAIN = '0,0,0,0,0,0';

/** Returns the lines of a buffer, with their characters and attributes. */
function cellsOf(buffer: ScreenBuffer): string[] {
  const blank = buffer.getNullCell();
  const cell = Object.assign(Object.create(Object.getPrototypeOf(blank) as object), blank) as Cell;
  return Array.from({ length: buffer.lines.length }, (_, y) => {
    const line = buffer.lines.get(y);
    if (line === undefined) return '';
    const cells = Array.from({ length: line.length }, (__, x) => {
      line.loadCell(x, cell);
      // The second half of a wide character is drawn with the first half. Without a first half, it is drawn as a blank.
      if (cell.getWidth() === 0)
        return cell.getChars() || (x > 0 && line.getWidth(x - 1) === 2) ? `${cell.getChars()}<` : '';
      const look = lookOf(cell);
      return cell.getChars() === '' && look === PLAIN ? '' : `${cell.getChars()}:${look}`;
    });
    return `${line.isWrapped ? '+' : '|'}${cells.join('|').replace(/\|+$/, '')}`;
  });
}

export const linesOf = (terminal: Terminal): string[] => cellsOf(coreOf(terminal).buffer);

/** Returns the links of the active buffer, one text for each cell that has a link. */
export function linksOf(terminal: Terminal): string[] {
  const core = coreOf(terminal);
  const found: string[] = [];
  for (let y = 0; y < core.buffer.lines.length; y += 1) {
    for (let x = 0; x < terminal.cols; x += 1) {
      const cell = core.buffer.lines.get(y)?.loadCell(x, core.buffer.getNullCell());
      if (cell === undefined || (cell.bg & BITS.bg.extended) === 0) continue;
      const link = core._oscLinkService.getLinkData(cell.extended.urlId);
      if (link !== undefined) found.push(`${y},${x} ${cell.getChars()} ${link.id ?? ''} ${link.uri}`);
    }
  }
  return found;
}

/**
 * Returns what a viewer sees of a terminal with `history` lines above the screen, and the attributes that the next
 * printed character would have.
 */
export function shownBy(terminal: Terminal, history: number) {
  const core = coreOf(terminal);
  const lines = cellsOf(core.buffer).slice(Math.max(0, core.buffer.ybase - history));
  // The first character of a line says whether it continues the line above it. It is removed from the first line,
  // because the line above is not shown.
  lines[0] = lines[0]?.slice(1) ?? '';
  const { synchronizedOutput: _, ...modes } = core.coreService.decPrivateModes;
  return {
    lines,
    cursor: [Math.min(core.buffer.x, terminal.cols - 1), core.buffer.y],
    alternate: terminal.buffer.active.type === 'alternate',
    sgr: lookOf(core._inputHandler._curAttrData),
    modes,
    ...settingsOf(core),
  };
}

function settingsOf(core: Core) {
  return {
    margins: [core.buffer.scrollTop, core.buffer.scrollBottom],
    insert: core.coreService.modes.insertMode,
    hidden: core.coreService.isCursorHidden,
    mouse: [core.coreMouseService.activeProtocol, core.coreMouseService.activeEncoding],
    eol: core.optionsService.options.convertEol,
    blink: core.optionsService.options.cursorBlink,
    charset: JSON.stringify(core._charsetService.charset),
  };
}

function bufferOf(buffer: ScreenBuffer) {
  return {
    lines: cellsOf(buffer),
    ybase: buffer.ybase,
    margins: [buffer.scrollTop, buffer.scrollBottom],
    tabs: Object.keys(buffer.tabs).filter((x) => buffer.tabs[x]),
    ...savedOf(buffer),
  };
}

function savedOf(buffer: ScreenBuffer) {
  const { fg, bg } = buffer.savedCurAttrData;
  return { saved: [buffer.savedX, buffer.savedY, fg, bg, buffer.savedCharset === undefined] };
}

/** The whole state of a terminal that can affect programs or viewers. */
export function stateOf(terminal: Terminal) {
  const core = coreOf(terminal);
  const { normal, alt } = core._bufferService.buffers;
  const { fg, bg, extended } = core._inputHandler._curAttrData;
  const isAlternate = core.buffer === alt;
  return {
    size: [terminal.cols, terminal.rows],
    cursor: [core.buffer.x, core.buffer.y],
    normal: bufferOf(normal),
    // Of an inactive alternate buffer, only the saved cursor matters, because activating the buffer clears the rest.
    alternate: isAlternate ? bufferOf(alt) : savedOf(alt),
    modes: core.coreService.decPrivateModes,
    sgr: [fg, bg, extended._ext],
    charsets: [core._charsetService.glevel, JSON.stringify([0, 1, 2, 3].map((g) => core._charsetService._charsets[g]))],
    join: core._inputHandler._parser.precedingJoinState,
    ...settingsOf(core),
  };
}

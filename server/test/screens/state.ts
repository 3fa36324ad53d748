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
 * Attributes as they are drawn. Where a link leads is `linksOf`: the terminal forgets links at moments that depend on
 * rows which are no more, and draws what had one with dashes all the same. Not told apart: bits that an earlier colour left behind a later one of another kind, and
 * the mark that there may be an underline or a link where there is neither. Nothing draws or reads them, and the next
 * colour or underline sets them anew.
 */
function lookOf({ fg, bg, extended }: Attributes): string {
  const isExtended = (bg & BITS.bg.extended) !== 0;
  const style = isExtended ? extended.underlineStyle : 0;
  // Underlined without a style is drawn as a single line.
  const underline = style || (fg & BITS.fg.underline ? 1 : 0);
  const colour = underline > 0 && isExtended ? colourOf(extended.underlineColor) : 0;
  const flags = [fg & ~BITS.colour & ~BITS.fg.underline, bg & ~BITS.colour & ~BITS.bg.extended];
  return [...flags, colourOf(fg), colourOf(bg), underline, colour].join();
}

const PLAIN = '0,0,0,0,0,0';

/** Characters with their looks, one text for each line. */
function cellsOf(buffer: ScreenBuffer): string[] {
  const blank = buffer.getNullCell();
  const cell = Object.assign(Object.create(Object.getPrototypeOf(blank) as object), blank) as Cell;
  return Array.from({ length: buffer.lines.length }, (_, y) => {
    const line = buffer.lines.get(y);
    if (line === undefined) return '';
    const cells = Array.from({ length: line.length }, (__, x) => {
      line.loadCell(x, cell);
      // The second half of a wide character is drawn with the first; one that lost it is a blank.
      if (cell.getWidth() === 0)
        return cell.getChars() || (x > 0 && line.getWidth(x - 1) === 2) ? `${cell.getChars()}<` : '';
      const look = lookOf(cell);
      return cell.getChars() === '' && look === PLAIN ? '' : `${cell.getChars()}:${look}`;
    });
    return `${line.isWrapped ? '+' : '|'}${cells.join('|').replace(/\|+$/, '')}`;
  });
}

/** Every line of the shown buffer with its characters and their looks. */
export const linesOf = (terminal: Terminal): string[] => cellsOf(coreOf(terminal).buffer);

/** Where the links of the shown buffer lead, one text for each cell that has one. */
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

/** What a viewer sees of a terminal, and what its next character would look like; `history` lines above the screen. */
export function shownBy(terminal: Terminal, history: number) {
  const core = coreOf(terminal);
  const lines = cellsOf(core.buffer).slice(Math.max(0, core.buffer.ybase - history));
  // Whether the first line that is sent goes on from another one shows nowhere.
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

/** Everything of a terminal that a program or a person could ever tell two of them apart by. */
export function stateOf(terminal: Terminal) {
  const core = coreOf(terminal);
  const { normal, alt } = core._bufferService.buffers;
  const { fg, bg, extended } = core._inputHandler._curAttrData;
  const isAlternate = core.buffer === alt;
  return {
    size: [terminal.cols, terminal.rows],
    cursor: [core.buffer.x, core.buffer.y],
    normal: bufferOf(normal),
    // One that is not shown is made anew when it is, but for its saved cursor.
    alternate: isAlternate ? bufferOf(alt) : savedOf(alt),
    modes: core.coreService.decPrivateModes,
    sgr: [fg, bg, extended._ext],
    charsets: [core._charsetService.glevel, JSON.stringify([0, 1, 2, 3].map((g) => core._charsetService._charsets[g]))],
    join: core._inputHandler._parser.precedingJoinState,
    ...settingsOf(core),
  };
}

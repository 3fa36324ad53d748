import { designatorOf } from './charsets.ts';
import { stopsOf } from './hidden-state.ts';
import { BITS, type Cell, type Core, colourOf, type Line, type ScreenBuffer } from './internals.ts';
import { SgrState } from './sgr.ts';

/** Maximum number of UTF-16 units converted to text at once. */
const RUN_MAX = 512;
const CSI = '\x1b[';
const moveTo = (y: number, x: number) => `${CSI}${y + 1};${x + 1}H`;
const isHalf = (cell: Cell) =>
  cell.getChars() === '' && (((cell.fg | cell.bg) & ~BITS.colour) !== 0 || colourOf(cell.fg) !== 0);
const isSameBlank = (cell: Cell, bg: number) => cell.getChars() === '' && !isHalf(cell) && colourOf(cell.bg) === bg;

/**
 * Returns the output that draws this terminal on an empty terminal of the same size: history, screens, cursor, modes,
 * margins, tab stops, character sets, saved cursors and links.
 * @param history maximum lines above the screen.
 */
export function serializeScreen(core: Core, history: number): string {
  const { normal, alt } = core._bufferService.buffers;
  const { decPrivateModes: modes } = core.coreService;
  const isAlternate = core.buffer === alt;
  const writer = new BufferWriter(core);
  let out = '';
  if (!isAlternate && hasSaved(alt)) out += `${CSI}?1047h${writer.saved(alt)}${CSI}?1047l${CSI}H`;
  out += writer.lines(normal, Math.max(0, normal.ybase - history));
  out += writer.state(normal);
  // The cursor of the hidden normal screen is drawn too, because a later resize depends on it.
  if (isAlternate)
    out += `${moveTo(normal.y, normal.x)}${CSI}?1047h${CSI}r${CSI}H${writer.lines(alt, alt.ybase)}${writer.state(alt)}`;
  if (modes.origin) out += `${CSI}?6h`;
  out += writer.cursor(core.buffer, modes.origin ? core.buffer.scrollTop : 0);
  return out + modesOf(core) + charsetsOf(core) + writer.sgr.set(core._inputHandler._curAttrData);
}

class BufferWriter {
  readonly sgr: SgrState;
  readonly #cell: Cell;
  readonly #otherCell: Cell;
  readonly #units = new Uint16Array(RUN_MAX);

  constructor(core: Core) {
    this.sgr = new SgrState(core);
    this.#cell = newCell(core);
    this.#otherCell = newCell(core);
  }

  /**
   * Returns the output that draws the lines from `first` on. Long lines wrap at the same places as in this terminal.
   */
  lines(buffer: ScreenBuffer, first: number): string {
    const parts: string[] = [];
    const end = buffer.lines.length;
    for (let y = first; y < end; y += 1) {
      const line = buffer.lines.get(y);
      if (line === undefined) break;
      const before = y > first ? buffer.lines.get(y - 1) : undefined;
      if (before !== undefined) parts.push(line.isWrapped ? this.#wrap(before) : `${this.sgr.plain()}\r\n`);
      // `lines` is a ring buffer: after the last line, `get` returns the first line or a dropped one. So `y + 1` is
      // checked first.
      const isOpen = y + 1 < end && (buffer.lines.get(y + 1)?.isWrapped ?? false);
      parts.push(this.#row(line, isOpen, line.isWrapped && before !== undefined));
    }
    return parts.join('') + this.sgr.end();
  }

  /**
   * Returns output that sets the tab stops, saved cursor and margins of a buffer. The buffer must be active when the
   * output is written.
   */
  state(buffer: ScreenBuffer): string {
    const cols = buffer.lines.get(0)?.length ?? 0;
    let out = '';
    const stops = stopsOf(buffer).filter((x) => x < cols);
    if (stops.join() !== Array.from({ length: Math.ceil(cols / 8) }, (_, i) => i * 8).join()) {
      out += `${CSI}3g${stops.map((x) => `${CSI}${x + 1}G\x1bH`).join('')}`;
    }
    if (hasSaved(buffer)) out += this.saved(buffer);
    const rows = buffer.lines.length - buffer.ybase;
    if (buffer.scrollTop !== 0 || buffer.scrollBottom !== rows - 1) {
      out += `${CSI}${buffer.scrollTop + 1};${buffer.scrollBottom + 1}r`;
    }
    return out;
  }

  saved(buffer: ScreenBuffer): string {
    const { fg, bg } = buffer.savedCurAttrData;
    const extended = { urlId: 0, underlineStyle: 1, underlineColor: 0 };
    const designator = designatorOf(buffer.savedCharset);
    return [
      moveTo(Math.max(0, buffer.savedY - buffer.ybase), buffer.savedX),
      this.sgr.set({ fg, bg, extended }),
      designator === 'B' ? '\x1b7' : `\x1b(${designator}\x1b7\x1b(B`,
      this.sgr.end(),
    ].join('');
  }

  /**
   * Returns the output that moves the cursor to its position. If the cursor is beyond the last column, the output draws
   * the character in the last column again, which moves the cursor there.
   */
  cursor(buffer: ScreenBuffer, top: number): string {
    const line = buffer.lines.get(buffer.ybase + buffer.y);
    const y = buffer.y - top;
    if (line === undefined || buffer.x < line.length) return moveTo(y, buffer.x);
    const last = line.loadCell(line.length - 1, this.#cell).getWidth() === 0 ? line.length - 2 : line.length - 1;
    const cell = line.loadCell(Math.max(0, last), this.#cell);
    if (cell.getChars() === '') return moveTo(y, line.length - 1);
    return moveTo(y, Math.max(0, last)) + this.sgr.set(cell) + cell.getChars() + this.sgr.end();
  }

  /**
   * Returns the output that draws the end of a line so that the terminal wraps, with the cursor at the beginning of the
   * next row.
   */
  #wrap(before: Line): string {
    const cell = before.loadCell(before.length - 1, this.#cell);
    if (cell.getChars() !== '' || cell.getWidth() === 0) return `${this.sgr.plain()} \r`;
    // A wide character that does not fit into the last column leaves a blank with its attributes in that column. The
    // first cell of the next row gets the background colour of the character.
    const wide = `${CSI}${before.length}G${this.sgr.set(cell)}${WIDE_BLANK}\r`;
    return `${wide}${this.sgr.plain()}${CSI}${before.length}X`;
  }

  /**
   * Serializes a line. `continues`: this line continues the previous line. `isOpen`: the next line continues this line,
   * so `#wrap` draws the last cell of this line if that cell is blank.
   */
  #row(line: Line, isOpen: boolean, continues: boolean): string {
    const cell = this.#cell;
    const last = line.length - 1;
    let end = Math.max(endOf(line), continues ? 1 : 0);
    let out = '';
    if (end > last && !isOpen && isHalf(line.loadCell(last, cell))) {
      // The last column contains half of a wide character. The whole character does not fit there, so it is drawn one
      // column to the left and shifted.
      while (end > 1 && isHalf(line.loadCell(end - 1, cell))) end -= 1;
      out += `${CSI}${end}G`;
      for (let x = end; x <= last; x += 1) out += `${this.#drawHalf(line.loadCell(x, cell), x - 1)}${CSI}${x + 1}G`;
      out += `${CSI}${end}G${CSI}@\r`;
    }
    let skipped = 0;
    for (let x = 0; x < end; ) {
      line.loadCell(x, cell);
      if (line.hasContent(x) !== 0) {
        // A combining mark in a cell of its own would join the previous character. An escape sequence between the two
        // prevents that.
        const separator = cell.getWidth() === 0 ? `${CSI}?7h` : '';
        out += move(skipped) + this.sgr.set(cell) + separator;
        const { text, next } = this.#run(line, x, end);
        out += text;
        if (next > last && line.getWidth(last - 1) === 2) out += this.#redrawOverHalf(line, last);
        skipped = 0;
        x = next;
        continue;
      }
      if (isHalf(cell)) {
        if (x === last) break;
        out += `${move(skipped)}${this.#drawHalf(cell, x)}${CSI}${x + 2}G${CSI}X`;
        skipped = 0;
        x += 1;
        continue;
      }
      const bg = colourOf(cell.bg);
      if (bg === 0 && !(x === 0 && continues)) {
        skipped += 1;
        x += 1;
        continue;
      }
      let to = x + 1;
      while (to < end && isSameBlank(line.loadCell(to, cell), bg)) to += 1;
      out += `${move(skipped)}${this.sgr.background(bg)}${CSI}${to - x}X`;
      skipped = to - x;
      x = to;
    }
    return out;
  }

  /**
   * Returns the characters from column `from` on that have the same attributes as the cell at `from`. The caller must
   * have loaded that cell into `#cell`.
   */
  #run(line: Line, from: number, end: number): { text: string; next: number } {
    const { fg, bg, extended } = this.#cell;
    const isExtended = (bg & BITS.bg.extended) !== 0;
    let units = 0;
    let text = '';
    let x = from;
    do {
      if (isExtended && line.loadCell(x, this.#otherCell).extended !== extended) break;
      const code = line.getCodePoint(x);
      if (code > 0xffff || units === this.#units.length || line.isCombined(x) !== 0) {
        text += this.#textOf(units) + line.loadCell(x, this.#otherCell).getChars();
        units = 0;
      } else {
        this.#units[units] = code;
        units += 1;
      }
      x += line.getWidth(x) || 1;
    } while (
      x < end &&
      line.getFg(x) === fg &&
      line.getBg(x) === bg &&
      line.hasContent(x) !== 0 &&
      line.getWidth(x) !== 0
    );
    return { text: text + this.#textOf(units), next: x };
  }

  /**
   * Draws the character in the last column again, with wrapping switched off, if it overwrote half of a wide character.
   */
  #redrawOverHalf(line: Line, last: number): string {
    if (line.hasContent(last) === 0 || line.getWidth(last) === 0) return '';
    const cell = line.loadCell(last, this.#cell);
    return `${CSI}?7l${this.sgr.set(cell)}${cell.getChars()}${CSI}?7h`;
  }

  #textOf(units: number): string {
    return units === 0 ? '' : String.fromCharCode.apply(null, this.#units.subarray(0, units) as unknown as number[]);
  }

  /** Draws in column `x` the remaining half of a wide character whose other half was overwritten. */
  #drawHalf(cell: Cell, x: number): string {
    return `${this.sgr.set(cell)}${WIDE_BLANK}${CSI}${x + 2}G ${this.sgr.plain()}`;
  }
}

/**
 * Returns a cell into which other cells can be loaded. The cell is a copy, because the buffer returns its own blank
 * cell, which must not change.
 */
function newCell(core: Core): Cell {
  const blank = core.buffer.getNullCell();
  return Object.assign(Object.create(Object.getPrototypeOf(blank) as object), blank) as Cell;
}

/** Returns the column after the last column with content. */
function endOf(line: Line): number {
  let end = line.length;
  while (end > 0 && line.hasContent(end - 1) === 0 && line.getFg(end - 1) === 0 && line.getBg(end - 1) === 0) end -= 1;
  return end;
}

const WIDE_BLANK = '\u3000';

const move = (cells: number) => (cells === 0 ? '' : `${CSI}${cells}C`);

function hasSaved({ savedX, savedY, savedCurAttrData: { fg, bg }, savedCharset }: ScreenBuffer): boolean {
  return savedX !== 0 || savedY !== 0 || fg !== 0 || bg !== 0 || savedCharset !== undefined;
}

const MOUSE: Record<string, string> = { X10: '9', VT200: '1000', DRAG: '1002', ANY: '1003' };
const CURSORS = { block: 2, underline: 4, bar: 6 } as const;

function modesOf(core: Core): string {
  const { decPrivateModes: modes, modes: ansi, isCursorHidden } = core.coreService;
  const { activeProtocol, activeEncoding } = core.coreMouseService;
  const { convertEol, cursorBlink } = core.optionsService.options;
  const mouse = MOUSE[activeProtocol];
  return [
    modes.applicationCursorKeys ? '?1h' : '',
    modes.applicationKeypad ? '?66h' : '',
    modes.bracketedPasteMode ? '?2004h' : '',
    ansi.insertMode ? '4h' : '',
    modes.reverseWraparound ? '?45h' : '',
    modes.sendFocus ? '?1004h' : '',
    modes.wraparound ? '' : '?7l',
    mouse === undefined ? '' : `?${mouse}h`,
    activeEncoding === 'SGR' ? '?1006h' : activeEncoding === 'SGR_PIXELS' ? '?1016h' : '',
    convertEol ? '20h' : '',
    cursorBlink ? '?12h' : '',
    modes.cursorStyle === undefined ? '' : `${CURSORS[modes.cursorStyle] - (modes.cursorBlink ? 1 : 0)} q`,
    isCursorHidden ? '?25l' : '',
  ]
    .map((mode) => (mode === '' ? '' : CSI + mode))
    .join('');
}

const SHIFT_SEQUENCES = ['', '\x0e', '\x1bn', '\x1bo'] as const;
const CHARSET_SLOTS = ['(', ')', '*', '+'] as const;

/**
 * Returns output that sets the character sets of the four slots and selects the active slot. The active slot gets the
 * set in use, because a restored cursor can use a set that the active slot does not contain.
 */
function charsetsOf({ _charsetService: { charset, glevel, _charsets } }: Core): string {
  const sets = CHARSET_SLOTS.map((slot, g) => [slot, designatorOf(g === glevel ? charset : _charsets[g])] as const)
    .filter(([, designator]) => designator !== 'B')
    .map(([slot, designator]) => `\x1b${slot}${designator}`);
  return sets.join('') + (SHIFT_SEQUENCES[glevel] ?? '');
}

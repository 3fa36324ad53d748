import type { Terminal } from '@xterm/headless';

/**
 * Private members of the headless terminal for the state that its public interface omits: margins, saved cursors,
 * character sets, links, the parser. Version 6.0.0 is pinned. If another version has other members, the property
 * test of checkpoints fails.
 */

interface Extended {
  /** Id of the cell's link; 0 means no link. */
  readonly urlId: number;
  /** Style of the underline. Always dashed for text with a link. */
  readonly underlineStyle: number;
  readonly underlineColor: number;
}

/** Extended attributes of the cursor. `_ext` encodes the underline without the dashes of a link. */
interface CursorExtended extends Extended {
  _ext: number;
  clone(): CursorExtended;
}

/** Colours and flags of a cell or of the cursor, with the bits in `BITS`. */
export interface Attributes {
  readonly fg: number;
  readonly bg: number;
  readonly extended: Extended;
}

interface CursorAttributes extends Attributes {
  fg: number;
  bg: number;
  extended: CursorExtended;
}

export interface Cell extends Attributes {
  getWidth(): number;
  getChars(): string;
}

export interface Line {
  isWrapped: boolean;
  readonly length: number;
  loadCell(x: number, cell: Cell): Cell;
  /** Non-zero for a cell with a character. */
  hasContent(x: number): number;
  /** Returns the last code point of the cell. */
  getCodePoint(x: number): number;
  isCombined(x: number): number;
  getWidth(x: number): number;
  getFg(x: number): number;
  getBg(x: number): number;
  resize(cols: number, filler: Cell): boolean;
  setCellFromCodepoint(x: number, code: number, width: number, attributes: Attributes): void;
  translateToString(trimRight: boolean, start?: number, end?: number): string;
}

export type Charset = Record<string, string> | undefined;

export interface ScreenBuffer {
  x: number;
  readonly y: number;
  readonly ybase: number;
  readonly lines: { readonly length: number; maxLength: number; get(y: number): Line | undefined };
  tabs: Record<string, boolean | undefined>;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  savedX: number;
  savedY: number;
  readonly savedCurAttrData: { fg: number; bg: number };
  readonly savedCharset: Charset;
  getNullCell(): Cell;
  addMarker(y: number): { readonly line: number; readonly isDisposed: boolean; dispose(): void };
}

interface Params {
  params: number[];
}

export interface Core {
  readonly cols: number;
  readonly rows: number;
  readonly buffer: ScreenBuffer;
  readonly _bufferService: { readonly buffers: { readonly normal: ScreenBuffer; readonly alt: ScreenBuffer } };
  readonly coreService: {
    readonly isCursorHidden: boolean;
    readonly decPrivateModes: {
      readonly applicationCursorKeys: boolean;
      readonly applicationKeypad: boolean;
      readonly bracketedPasteMode: boolean;
      readonly cursorBlink: boolean | undefined;
      readonly cursorStyle: 'block' | 'underline' | 'bar' | undefined;
      readonly origin: boolean;
      readonly reverseWraparound: boolean;
      readonly sendFocus: boolean;
      synchronizedOutput: boolean;
      readonly wraparound: boolean;
    };
    readonly modes: { readonly insertMode: boolean };
  };
  readonly coreMouseService: { readonly activeProtocol: string; readonly activeEncoding: string };
  readonly optionsService: { readonly options: { readonly convertEol: boolean; readonly cursorBlink: boolean } };
  readonly _charsetService: { charset: Charset; readonly glevel: number; _charsets: readonly Charset[] };
  readonly _oscLinkService: { getLinkData(id: number): { id?: string; uri: string } | undefined };
  readonly _inputHandler: {
    cursorBackwardTab(params: Params): boolean;
    cursorForwardTab(params: Params): boolean;
    deleteLines(params: Params): boolean;
    eraseChars(params: Params): boolean;
    eraseInDisplay(params: Params, respectProtect: boolean): boolean;
    insertLines(params: Params): boolean;
    repeatPrecedingCharacter(params: Params): boolean;
    scrollDown(params: Params): boolean;
    scrollUp(params: Params): boolean;
    readonly _curAttrData: CursorAttributes;
    readonly _utf8Decoder: { readonly interim: Uint8Array; clear(): void };
    readonly _parser: { readonly currentState: number; precedingJoinState: number; reset(): void };
  };
  readonly _writeBuffer: { _isSyncWriting: boolean; _writeBuffer: unknown[]; _callbacks: unknown[] };
  writeSync(data: Uint8Array | string): void;
}

export const coreOf = (terminal: Terminal): Core => (terminal as unknown as { _core: Core })._core;

/** Bits of flags and colours in `fg` and `bg`. */
export const BITS = {
  colour: 0x03ff_ffff,
  colourMode: 0x0300_0000,
  palette16: 0x0100_0000,
  palette256: 0x0200_0000,
  rgb: 0x0300_0000,
  value: 0x00ff_ffff,
  fg: {
    inverse: 0x0400_0000,
    bold: 0x0800_0000,
    underline: 0x1000_0000,
    blink: 0x2000_0000,
    invisible: 0x4000_0000,
    strikethrough: 0x8000_0000,
  },
  bg: { italic: 0x0400_0000, dim: 0x0800_0000, extended: 0x1000_0000, protected: 0x2000_0000, overline: 0x4000_0000 },
} as const;

/** Returns the colour bits, without bits that remain from an earlier colour of another kind. */
export function colourOf(bits: number): number {
  const mode = bits & BITS.colourMode;
  return mode === BITS.rgb ? bits & BITS.colour : mode === 0 ? 0 : mode | (bits & 0xff);
}

/** Parser states: inside the parameters of a sequence, and inside an OSC string (which BEL can end). */
const IN_PARAMETERS = new Set([3, 4, 5, 6]);
const IN_OSC = 8;

/**
 * If the parser is inside a sequence, returns the beginning of a sequence without effect, so that a viewer's new
 * terminal ignores the rest of the sequence. Otherwise returns ''.
 */
export function openSequenceOf(core: Core): string {
  const state = core._inputHandler._parser.currentState;
  if (state === 0) return '';
  if (state === IN_OSC) return '\x1b]9999;';
  return IN_PARAMETERS.has(state) ? '\x1b[?9999;' : '\x1b_';
}

/** Whether the parser is neither inside a sequence nor inside a character. */
export function isGround(core: Core): boolean {
  const { _parser, _utf8Decoder } = core._inputHandler;
  return _parser.currentState === 0 && (_utf8Decoder.interim[0] ?? 0) === 0;
}

/**
 * Must be called before each resize. If a resize rewraps lines and the line buffer is too small, the terminal writes
 * the additional lines to negative indexes. The buffer is a ring, so these lines would overwrite the last rows of the
 * screen. A change of the ring's size moves its start to array index 0, where such writes have no effect.
 */
export function prepareResize({ _bufferService }: Core): void {
  const { lines } = _bufferService.buffers.normal;
  lines.maxLength += 1;
  lines.maxLength -= 1;
}

/**
 * Removes states that only a resize can create, so that output can reproduce the terminal: columns of the alternate
 * screen beyond its new edge, the first half of a wide character in the last column, and the old height of a hidden
 * alternate screen. Nothing is lost, because programs draw again after a resize.
 */
export function tidyAfterResize(core: Core): void {
  const { normal, alt } = core._bufferService.buffers;
  for (const buffer of [normal, alt]) {
    for (let y = 0; y < buffer.lines.length; y += 1) {
      const line = buffer.lines.get(y);
      const last = core.cols - 1;
      if (line !== undefined && line.length > core.cols) line.resize(core.cols, buffer.getNullCell());
      if (line?.getWidth(last) === 2) line.setCellFromCodepoint(last, 0, 1, buffer.getNullCell());
    }
  }
  if (alt.lines.length === 0) alt.lines.maxLength = core.rows;
}

/** Makes a terminal writable again after it threw during a write. Afterwards, its parser is not inside a sequence. */
export function recoverWriting({ _writeBuffer: queue, _inputHandler }: Core): void {
  queue._isSyncWriting = false;
  queue._writeBuffer = [];
  queue._callbacks = [];
  _inputHandler._parser.reset();
}

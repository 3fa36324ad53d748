import { charsetOf, designatorOf } from './charsets.ts';
import type { Core, ScreenBuffer } from './internals.ts';

/** What no escape sequence restores; our own rebuild sets it, a viewer does without. */
export interface Remainder {
  /** Column of the cursor; `cols` while the next character wraps. */
  x: number;
  /** Parser's memory of the last character, for one that joins it or repeats it. */
  join: number;
  /** Whether the first kept line goes on from one that is gone; of the normal and the alternate screen. */
  wrapped: [boolean, boolean];
  /** Tab stops of both, also those behind the last column. */
  tabs: [number[], number[]];
  /** Saved cursors of both; rows count from the first kept line, since one may have left the screen. */
  saved: [Saved, Saved];
  /** Attributes of the next character, links left aside. */
  sgr: { fg: number; bg: number; ext: number };
  /** Final characters of the sets in the four slots, and of the one in use. */
  charsets: { slots: string[]; inUse: string };
  /** A program is in the middle of a picture; a viewer is shown what there is of it. */
  synchronized: boolean;
}

interface Saved {
  x: number;
  y: number;
  fg: number;
  bg: number;
}

/** @see Remainder */
export function remainderOf(core: Core): Remainder {
  const { normal, alt } = core._bufferService.buffers;
  const { fg, bg, extended } = core._inputHandler._curAttrData;
  return {
    x: core.buffer.x,
    join: core._inputHandler._parser.precedingJoinState,
    wrapped: [isWrapped(normal), isWrapped(alt)],
    tabs: [stopsOf(normal), stopsOf(alt)],
    saved: [savedOf(normal), savedOf(alt)],
    sgr: { fg, bg, ext: extended._ext },
    charsets: {
      slots: Array.from({ length: 4 }, (_, g) => designatorOf(core._charsetService._charsets[g])),
      inUse: designatorOf(core._charsetService.charset),
    },
    synchronized: core.coreService.decPrivateModes.synchronizedOutput,
  };
}

/** Goes on a terminal on which the text that goes with it was drawn. */
export function applyRemainder(core: Core, remainder: Remainder): void {
  core.buffer.x = remainder.x;
  core._inputHandler._parser.precedingJoinState = remainder.join;
  core.coreService.decPrivateModes.synchronizedOutput = remainder.synchronized;
  core._charsetService._charsets = remainder.charsets.slots.map(charsetOf);
  core._charsetService.charset = charsetOf(remainder.charsets.inUse);
  const sgr = core._inputHandler._curAttrData;
  sgr.fg = remainder.sgr.fg;
  sgr.bg = remainder.sgr.bg;
  // Cells drawn last share it.
  sgr.extended = sgr.extended.clone();
  sgr.extended._ext = remainder.sgr.ext;
  const { normal, alt } = core._bufferService.buffers;
  restore(normal, remainder.saved[0], remainder.tabs[0], remainder.wrapped[0]);
  restore(alt, remainder.saved[1], remainder.tabs[1], remainder.wrapped[1]);
}

function restore(buffer: ScreenBuffer, saved: Saved, tabs: number[], wrapped: boolean): void {
  buffer.savedX = saved.x;
  buffer.savedY = saved.y;
  buffer.savedCurAttrData.fg = saved.fg;
  buffer.savedCurAttrData.bg = saved.bg;
  buffer.tabs = Object.fromEntries(tabs.map((stop) => [stop, true]));
  const first = buffer.lines.get(0);
  if (first !== undefined) first.isWrapped = wrapped;
}

const isWrapped = (buffer: ScreenBuffer) => buffer.lines.get(0)?.isWrapped ?? false;

function savedOf({ savedX: x, savedY: y, savedCurAttrData: { fg, bg } }: ScreenBuffer): Saved {
  return { x, y, fg, bg };
}

/** Columns of the tab stops of a screen, those behind its last column too. */
export const stopsOf = ({ tabs }: ScreenBuffer): number[] =>
  Object.keys(tabs)
    .filter((x) => tabs[x] === true)
    .map(Number);

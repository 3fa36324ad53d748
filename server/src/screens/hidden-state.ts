import { charsetOf, designatorOf } from './charsets.ts';
import type { HiddenState, SavedCursor } from './checkpoint.ts';
import type { Core, ScreenBuffer } from './internals.ts';

export function hiddenStateOf(core: Core): HiddenState {
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

/** Sets the state that no escape sequence can set, on a terminal that has already drawn the serialized text. */
export function applyHiddenState(core: Core, state: HiddenState): void {
  core.buffer.x = state.x;
  core._inputHandler._parser.precedingJoinState = state.join;
  core.coreService.decPrivateModes.synchronizedOutput = state.synchronized;
  core._charsetService._charsets = state.charsets.slots.map(charsetOf);
  core._charsetService.charset = charsetOf(state.charsets.inUse);
  const sgr = core._inputHandler._curAttrData;
  sgr.fg = state.sgr.fg;
  sgr.bg = state.sgr.bg;
  // Clones the object before changing it, because the cells that were drawn last share it.
  sgr.extended = sgr.extended.clone();
  sgr.extended._ext = state.sgr.ext;
  const { normal, alt } = core._bufferService.buffers;
  restore(normal, state.saved[0], state.tabs[0], state.wrapped[0]);
  restore(alt, state.saved[1], state.tabs[1], state.wrapped[1]);
}

function restore(buffer: ScreenBuffer, saved: SavedCursor, tabs: number[], wrapped: boolean): void {
  buffer.savedX = saved.x;
  buffer.savedY = saved.y;
  buffer.savedCurAttrData.fg = saved.fg;
  buffer.savedCurAttrData.bg = saved.bg;
  buffer.tabs = Object.fromEntries(tabs.map((stop) => [stop, true]));
  const first = buffer.lines.get(0);
  if (first !== undefined) first.isWrapped = wrapped;
}

const isWrapped = (buffer: ScreenBuffer) => buffer.lines.get(0)?.isWrapped ?? false;

function savedOf({ savedX: x, savedY: y, savedCurAttrData: { fg, bg } }: ScreenBuffer): SavedCursor {
  return { x, y, fg, bg };
}

/** Returns the columns of a screen's tab stops, including those beyond its last column. */
export const stopsOf = ({ tabs }: ScreenBuffer): number[] =>
  Object.keys(tabs)
    .filter((x) => tabs[x] === true)
    .map(Number);

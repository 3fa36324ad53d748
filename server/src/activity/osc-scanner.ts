import { STATUS_SEQUENCE_MAX_BYTES } from '@agent-console/shared/limits/activity';
import { TITLE_MAX_CHARS } from '@agent-console/shared/limits/texts';
import type { ProgressState } from '../ports/agents.ts';

type StatusSignal =
  | { type: 'title'; title: string }
  | { type: 'progress'; state: ProgressState; percent: number | null }
  | { type: 'notification'; title: string | null; text: string };

/** A signal in a terminal's output. `offset` is the absolute offset after its last byte. */
export type StatusEvent = (StatusSignal | { type: 'bell' }) & { offset: number };

export interface OscScanner {
  /** Scans the next bytes and returns the signals that end in them, in order. The buffer is not retained. */
  push(chunk: Buffer): StatusEvent[];
  /** Offset after the last scanned byte. */
  readonly offset: number;
  /**
   * Highest offset known to be outside a sequence. After a restart, scanning can continue from this offset without
   * other stored state.
   */
  readonly safeOffset: number;
}

const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const BACKSLASH = 0x5c;

/**
 * - `ground` reads plain text.
 * - `escape` follows an ESC that begins a sequence.
 * - `osc` collects the payload of an OSC string.
 * - `string` skips the payload of a DCS, SOS, PM or APC string.
 * - `oscEscape` and `stringEscape` follow an ESC inside a string.
 */
type State = 'ground' | 'escape' | 'osc' | 'oscEscape' | 'string' | 'stringEscape';

/**
 * State of the scanner after ESC and one of these bytes, which together begin a control string. After ESC and any other
 * byte, the scanner continues as in plain text.
 */
const INTRODUCERS: Record<number, State> = {
  80: 'string',
  88: 'string',
  93: 'osc',
  94: 'string',
  95: 'string',
};

/**
 * Creates a scanner that finds titles (OSC 0 and 2), progress (OSC 9;4), notifications (OSC 9 and 777) and bells in
 * terminal output. A sequence may be split over several chunks. Strings end at ST, and OSC strings also at BEL. As in
 * terminals, CAN, SUB and a new escape sequence abort a string. To limit memory, an OSC beyond
 * STATUS_SEQUENCE_MAX_BYTES is skipped.
 *
 * The 8-bit C1 forms of control characters (0x9d, 0x90, 0x9c) are ignored, because these bytes also occur inside UTF-8
 * characters.
 */
export function createOscScanner(start: { offset: number } = { offset: 0 }): OscScanner {
  const payload = Buffer.allocUnsafe(STATUS_SEQUENCE_MAX_BYTES);
  let length = 0;
  let tooLong = false;
  let state: State = 'ground';
  let offset = start.offset;
  /** Offset at which the unfinished sequence starts. */
  let sequenceStart = start.offset;

  const enter = (next: State) => {
    state = next;
    length = 0;
    tooLong = false;
  };

  const collect = (chunk: Buffer, from: number, to: number) => {
    if (length + to - from > payload.length) tooLong = true;
    else length += chunk.copy(payload, length, from, to);
  };

  const finish = (events: StatusEvent[], end: number) => {
    state = 'ground';
    const signal = tooLong ? null : parseOsc(payload.subarray(0, length));
    if (signal) events.push({ ...signal, offset: end });
  };

  return {
    get offset() {
      return offset;
    },
    get safeOffset() {
      return state === 'ground' ? offset : sequenceStart;
    },
    push(chunk) {
      const events: StatusEvent[] = [];
      const base = offset;
      const next = createFinder(chunk);
      let at = 0;

      const escapeByte = (byte: number) => {
        at += 1;
        const introduced = INTRODUCERS[byte];
        if (introduced) enter(introduced);
        else if (byte === ESC) sequenceStart = base + at - 1;
        else if (byte === BEL) {
          events.push({ type: 'bell', offset: base + at });
          state = 'ground';
        } else if (byte >= 0x20 || byte === CAN || byte === SUB) state = 'ground';
      };

      while (at < chunk.length) {
        switch (state) {
          case 'ground': {
            const begin = next(ESC, at);
            for (let bell = next(BEL, at); bell < begin; bell = next(BEL, at)) {
              at = bell + 1;
              events.push({ type: 'bell', offset: base + at });
            }
            at = Math.min(begin + 1, chunk.length);
            if (begin < chunk.length) {
              state = 'escape';
              sequenceStart = base + begin;
            }
            break;
          }
          case 'escape':
            escapeByte(chunk[at] ?? 0);
            break;
          case 'osc':
          case 'string': {
            const osc = state === 'osc';
            const end = Math.min(next(ESC, at), next(CAN, at), next(SUB, at), osc ? next(BEL, at) : chunk.length);
            if (osc) collect(chunk, at, end);
            at = Math.min(end + 1, chunk.length);
            if (end === chunk.length) break;
            if (chunk[end] === ESC) state = osc ? 'oscEscape' : 'stringEscape';
            else if (chunk[end] === BEL) finish(events, base + at);
            else state = 'ground';
            break;
          }
          default: {
            const osc = state === 'oscEscape';
            if (chunk[at] === BACKSLASH) {
              at += 1;
              if (osc) finish(events, base + at);
              state = 'ground';
            } else {
              state = 'escape';
              sequenceStart = base + at - 1;
            }
          }
        }
      }
      offset = base + chunk.length;
      return events;
    },
  };
}

/**
 * Creates a function that returns the index of the next `byte` at or after `from`, or the chunk's length if there is
 * none. It searches no part of the chunk twice for the same byte.
 */
function createFinder(chunk: Buffer): (byte: number, from: number) => number {
  const found: number[] = [];
  return (byte, from) => {
    let index = found[byte] ?? -1;
    if (index < from) {
      index = chunk.indexOf(byte, from);
      if (index < 0) index = chunk.length;
      found[byte] = index;
    }
    return index;
  };
}

/**
 * Parses the bytes between `ESC ]` and the terminator. Returns null for malformed payloads and for OSC commands that
 * are not handled.
 */
function parseOsc(payload: Buffer): StatusSignal | null {
  const separator = payload.indexOf(0x3b);
  if (separator < 1 || separator > 3) return null;
  const rest = payload.subarray(separator + 1);
  switch (payload.toString('latin1', 0, separator)) {
    case '0':
    case '2':
      return {
        type: 'title',
        title: plainText(rest)
          .slice(0, TITLE_MAX_CHARS)
          .replace(/[\ud800-\udbff]$/, ''),
      };
    case '9':
      return parseOsc9(plainText(rest));
    case '777': {
      const [, title, text] = /^notify;([^;]*)(?:;(.*))?$/s.exec(plainText(rest)) ?? [];
      return title === undefined ? null : { type: 'notification', title, text: text ?? '' };
    }
    default:
      return null;
  }
}

/**
 * Parses OSC 9: a notification or, if it begins with a number, a command of ConEmu. Only command 4 (progress) is used.
 */
function parseOsc9(text: string): StatusSignal | null {
  const [, state, percent] = /^4;([0-4])(?:;(\d{0,3})?)?$/.exec(text) ?? [];
  if (state !== undefined) {
    const value = percent ? Math.min(100, Number(percent)) : null;
    return { type: 'progress', state: Number(state) as ProgressState, percent: value };
  }
  return text === '' || /^\d{1,2}(;|$)/.test(text) ? null : { type: 'notification', title: null, text };
}

/** Returns the text without control and bidi characters, which could control a terminal that shows it. */
function plainText(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '');
}

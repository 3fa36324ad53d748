import { STATUS_SEQUENCE_MAX_BYTES } from '@agent-console/shared/limits/signs';
import { readPayload, type StatusSignal } from './osc-payload.ts';

/** A sign found in a terminal's output; `offset` is the absolute offset behind its last byte. */
export type StatusEvent = (StatusSignal | { type: 'bell' }) & { offset: number };

export interface OscScanner {
  /** Takes the next bytes and answers the signs that ended in them, in order. The buffer is not kept. */
  push(chunk: Buffer): StatusEvent[];
  /** Offset behind the last byte taken. */
  readonly offset: number;
  /**
   * Highest known offset outside every sequence. A scanner started there finds exactly the signs behind it, so this
   * number is all that has to be stored.
   */
  readonly safeOffset: number;
}

const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const BACKSLASH = 0x5c;

/** `osc` collects its payload; `string` (DCS, SOS, PM, APC) skips it; the `Escape` states have seen ESC in it. */
type State = 'ground' | 'escape' | 'osc' | 'oscEscape' | 'string' | 'stringEscape';

/** What the byte behind ESC begins. Every other sequence holds neither ESC nor BEL and passes as text. */
const INTRODUCERS: Record<number, State> = {
  80: 'string',
  88: 'string',
  93: 'osc',
  94: 'string',
  95: 'string',
};

/**
 * Finds titles (OSC 0 and 2), progress (OSC 9;4), notifications (OSC 9 and 777) and bells in terminal output, whatever
 * the chunk boundaries. Strings end at ST or, for OSC, BEL; CAN, SUB and a new escape sequence abort them, as in
 * terminals. Memory is bounded: an OSC beyond STATUS_SEQUENCE_MAX_BYTES is skipped.
 *
 * Only ESC forms introduce and end a sequence. The 8-bit C1 forms (0x9d, 0x90, 0x9c) are ordinary continuation bytes in
 * UTF-8, which is what agents print, so reading them as controls would find sequences in the middle of letters.
 */
export function createOscScanner(start: { offset: number } = { offset: 0 }): OscScanner {
  const payload = Buffer.allocUnsafe(STATUS_SEQUENCE_MAX_BYTES);
  let length = 0;
  let tooLong = false;
  let state: State = 'ground';
  let offset = start.offset;
  /** Where the sequence began that is being read. */
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
    const sign = tooLong ? null : readPayload(payload.subarray(0, length));
    if (sign) events.push({ ...sign, offset: end });
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

/** Answers the next place of a byte at or behind `from`, or the chunk's length. Each byte value is searched for once. */
function createFinder(chunk: Buffer): (byte: number, from: number) => number {
  const found: number[] = [];
  return (byte, from) => {
    let place = found[byte] ?? -1;
    if (place < from) {
      place = chunk.indexOf(byte, from);
      if (place < 0) place = chunk.length;
      found[byte] = place;
    }
    return place;
  };
}

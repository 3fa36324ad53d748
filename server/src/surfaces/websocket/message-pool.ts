import { STREAM_BLOCK_BYTES, STREAM_WINDOW_BYTES } from '@agent-console/shared/limits/streams';
import { OUTPUT_HEADER_BYTES } from '@agent-console/shared/wire';

/** Below this a message is allocated: a large buffer must not be held by a keystroke's echo. */
const POOLED_FROM_BYTES = STREAM_BLOCK_BYTES / 8;
/**
 * Buffers retained for reuse, enough for the windows of two readers; without reuse a flood's garbage grows for seconds.
 */
const KEPT = (2 * STREAM_WINDOW_BYTES) / STREAM_BLOCK_BYTES;
const BUFFER_BYTES = OUTPUT_HEADER_BYTES + STREAM_BLOCK_BYTES;

const free: Buffer[] = [];

export interface OutputMessage {
  /** Offset, then the output; valid until `release`. */
  bytes: Buffer;
  release(): void;
}

/** Copies lent output into a message of its own. */
export function outputMessage(offset: number, data: Buffer): OutputMessage {
  const length = OUTPUT_HEADER_BYTES + data.length;
  const pooled = length >= POOLED_FROM_BYTES && length <= BUFFER_BYTES;
  const buffer = pooled ? (free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)) : Buffer.allocUnsafe(length);
  buffer.writeBigUInt64BE(BigInt(offset), 0);
  data.copy(buffer, OUTPUT_HEADER_BYTES);
  let released = !pooled;
  return {
    bytes: buffer.subarray(0, length),
    release() {
      if (released) return;
      released = true;
      if (free.length < KEPT) free.push(buffer);
    },
  };
}

import { STREAM_BLOCK_BYTES, STREAM_WINDOW_BYTES } from '@agent-console/shared/limits/streams';
import { OUTPUT_HEADER_BYTES } from '@agent-console/shared/wire';

/**
 * Size from which messages use pooled buffers. Smaller messages are allocated separately, so that a few bytes, such as
 * the echo of a key, do not occupy a large buffer.
 */
const POOLED_FROM_BYTES = STREAM_BLOCK_BYTES / 8;
/**
 * Maximum number of unused buffers that are kept: enough for the unread output (STREAM_WINDOW_BYTES) of two readers.
 * Without reuse of buffers, garbage from a flood of output would stay in memory for seconds.
 */
const FREE_BUFFERS_MAX = (2 * STREAM_WINDOW_BYTES) / STREAM_BLOCK_BYTES;
const BUFFER_BYTES = OUTPUT_HEADER_BYTES + STREAM_BLOCK_BYTES;

const free: Buffer[] = [];

export interface OutputMessage {
  /** The complete message: the offset of the output, then the output itself. Valid until `release` is called. */
  bytes: Buffer;
  release(): void;
}

/** Copies output into a new message, because the caller reuses the buffer of the output. */
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
      if (free.length < FREE_BUFFERS_MAX) free.push(buffer);
    },
  };
}

import { RUNNER_FRAME_MAX_BYTES } from '@agent-console/shared/limits/runner';

/**
 * The only protocol version. A new version would force people to end their agents before an upgrade. Additions are
 * therefore named in the `capabilities` of each side's first frame, `hello`.
 */
export const PROTOCOL_VERSION = 1;
export const PROTOCOL_VERSIONS = [1];

/** A frame is `u32 payload length | u32 type | u32 handle | f64 offset | payload`, big-endian. */
const HEADER_BYTES = 20;

/**
 * Frame types. Payloads are JSON, but a request is `u32 JSON length | JSON | bytes`. In frames of a stream, `handle` is
 * the number that the client gave to its subscription, and `offset` a log offset.
 */
export const FRAME = {
  hello: 1,
  request: 2,
  response: 3,
  event: 4,
  output: 5,
  /** Payload: `u16 columns | u16 rows`. */
  resized: 6,
  /** Payload: JSON `{exitCode, signal}`; offset: end of the log. */
  exit: 7,
  /** No payload. The client has processed all output below `offset`. */
  ack: 8,
} as const;

const EMPTY = Buffer.alloc(0);

export interface Frame {
  type: number;
  handle: number;
  offset: number;
  /** A view into the reader's buffer, valid until `onFrame` returns. */
  payload: Buffer;
}

/** Thrown when the other side violates the protocol. Closes only the connection to that side. */
export class ProtocolError extends Error {}

export function encodeHeader(type: number, handle: number, offset: number, payloadBytes: number): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32BE(payloadBytes, 0);
  header.writeUInt32BE(type, 4);
  header.writeUInt32BE(handle, 8);
  header.writeDoubleBE(offset, 12);
  return header;
}

export function encodeFrame(type: number, handle: number, offset: number, payload: Buffer = EMPTY): Buffer {
  return Buffer.concat([encodeHeader(type, handle, offset, payload.length), payload]);
}

export function encodeJson(type: number, value: unknown): Buffer {
  return encodeFrame(type, 0, 0, Buffer.from(JSON.stringify(value)));
}

export function encodeRequest(request: unknown, bytes: Buffer = EMPTY): Buffer {
  const json = Buffer.from(JSON.stringify(request));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(json.length);
  return encodeFrame(FRAME.request, 0, 0, Buffer.concat([length, json, bytes]));
}

/**
 * Splits a request's payload. The returned bytes are a view of the payload, so a caller that keeps them must copy them.
 */
export function decodeRequest(payload: Buffer): { json: unknown; bytes: Buffer } {
  if (payload.length < 4) throw new ProtocolError('request does not begin with the length of its JSON');
  const end = 4 + payload.readUInt32BE(0);
  if (end > payload.length) throw new ProtocolError('the stated length of the JSON exceeds the request');
  return { json: decodeJson(payload.subarray(4, end)), bytes: payload.subarray(end) };
}

export function decodeJson(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch (cause) {
    throw new ProtocolError('control frame is not JSON', { cause });
  }
}

/**
 * Splits a byte stream into frames, in one reused buffer. Complete frames are not copied. Only the bytes of an
 * incomplete frame are moved within the buffer.
 */
export class FrameReader {
  #slab: Buffer;
  #start = 0;
  #end = 0;
  readonly #slabBytes: number;
  readonly #room: number;
  readonly #onFrame: (frame: Frame) => void;

  /** @param slabBytes size of the buffer. @param room minimum number of bytes that `space` returns. */
  constructor(slabBytes: number, room: number, onFrame: (frame: Frame) => void) {
    this.#slab = Buffer.allocUnsafeSlow(slabBytes);
    this.#slabBytes = slabBytes;
    this.#room = room;
    this.#onFrame = onFrame;
  }

  /** Returns the free part of the buffer, into which the caller must put the next bytes of the stream. */
  space(): Buffer {
    return this.#slab.subarray(this.#end);
  }

  /**
   * Processes the next `bytes` bytes, which the caller has put into the buffer that `space` returned.
   * @throws ProtocolError for a frame that is too long.
   */
  received(bytes: number): void {
    this.#end += bytes;
    let needed = HEADER_BYTES;
    while (this.#end - this.#start >= HEADER_BYTES) {
      const length = this.#slab.readUInt32BE(this.#start);
      if (length > RUNNER_FRAME_MAX_BYTES) throw new ProtocolError(`frame of ${length} bytes is too long`);
      needed = HEADER_BYTES + length;
      if (this.#end - this.#start < needed) break;
      const at = this.#start;
      this.#start += needed;
      needed = HEADER_BYTES;
      this.#onFrame({
        type: this.#slab.readUInt32BE(at + 4),
        handle: this.#slab.readUInt32BE(at + 8),
        offset: this.#slab.readDoubleBE(at + 12),
        payload: this.#slab.subarray(at + HEADER_BYTES, this.#start),
      });
    }
    this.#makeRoom(needed);
  }

  /**
   * Processes a chunk by copying it into this reader's buffer. Used for streams that read into buffers of their own.
   */
  feed(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const copied = chunk.copy(this.space(), 0, at);
      at += copied;
      this.received(copied);
    }
  }

  #makeRoom(needed: number): void {
    const buffered = this.#end - this.#start;
    if (buffered === 0) {
      // A long frame may have enlarged the buffer. Now that the buffer is empty, it is replaced by one of the normal
      // size.
      if (this.#slab.length > this.#slabBytes) this.#slab = Buffer.allocUnsafeSlow(this.#slabBytes);
      this.#start = 0;
      this.#end = 0;
      return;
    }
    const fits = this.#slab.length - this.#end >= this.#room && this.#start + needed <= this.#slab.length;
    if (fits) return;
    const wanted = Math.max(needed, buffered) + this.#room;
    const target = wanted > this.#slab.length ? Buffer.allocUnsafeSlow(wanted) : this.#slab;
    this.#slab.copy(target, 0, this.#start, this.#end);
    this.#slab = target;
    this.#start = 0;
    this.#end = buffered;
  }
}

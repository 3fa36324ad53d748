import * as v from 'valibot';
import type { ErrorBody } from './errors.ts';
import { INPUT_MAX_BYTES } from './limits/streams.ts';
import type { ConsoleEvent } from './models/event.ts';
import type { Session } from './models/session.ts';

/**
 * Frames of the WebSockets. Text frames are JSON objects with a `type`; binary frames of a worker's socket are output:
 * an 8-byte big-endian log offset, then the bytes from that offset on.
 */

export const OUTPUT_HEADER_BYTES = 8;

const Offset = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const Cells = v.pipe(v.number(), v.safeInteger(), v.minValue(2), v.maxValue(1_000));

/**
 * First frame on the WebSocket of a browser. It contains the token, because a browser cannot set an `Authorization`
 * header for a WebSocket.
 */
export const AuthFrame = v.strictObject({
  type: v.literal('auth'),
  token: v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
});

const PongFrame = v.strictObject({ type: v.literal('pong') });
const PingFrame = v.strictObject({ type: v.literal('ping') });

/** Frames from an identified client of `/ws/app`. */
export const AppClientFrame = v.variant('type', [PongFrame, PingFrame]);
export type AppClientFrame = v.InferOutput<typeof AppClientFrame>;

/** Frames from an identified client of a worker's socket. */
export const WorkerClientFrame = v.variant('type', [
  /**
   * Keyboard input, typed once per `inputId`. The server answers input that has an id with `accepted`, or with an
   * `error` that contains the id.
   */
  v.strictObject({
    type: v.literal('input'),
    data: v.pipe(v.string(), v.minLength(1), v.maxBytes(INPUT_MAX_BYTES)),
    inputId: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(100))),
  }),
  v.strictObject({ type: v.literal('resize'), cols: Cells, rows: Cells }),
  /**
   * Acknowledges that the client shows everything before `offset`. The server sends at most STREAM_WINDOW_BYTES of
   * unacknowledged output.
   */
  v.strictObject({ type: v.literal('ack'), offset: Offset }),
  /**
   * Makes this connection the driver, which sets the terminal's size; with `whenIdle`, only if the present driver has
   * not typed for SIZE_HELD_MS.
   */
  v.strictObject({ type: v.literal('takeDriver'), whenIdle: v.optional(v.boolean()) }),
  PongFrame,
  PingFrame,
]);
export type WorkerClientFrame = v.InferOutput<typeof WorkerClientFrame>;

/**
 * Query of `/ws/app` and of the event stream. `after` is the sequence number of the last event that the client
 * received.
 */
export const AfterQuery = v.strictObject({ after: v.optional(queryNumber('after')) });

/**
 * Query of a worker's socket: `fromOffset` is the byte offset of the output log at which the output starts; `watch=1`
 * opens a viewer that never sets the terminal's size.
 */
export const WorkerSocketQuery = v.strictObject({
  fromOffset: v.optional(queryNumber('fromOffset')),
  watch: v.optional(v.literal('1', 'the query parameter watch must be 1 or absent')),
});

function queryNumber(name: string) {
  return v.pipe(v.string(), v.regex(/^\d{1,15}$/, `${name} must be a whole number, 0 or more`), v.transform(Number));
}

interface ErrorFrame extends ErrorBody {
  type: 'error';
}

/** Frames from the server on every socket. The server and the client answer a `ping` with a `pong`. */
type CommonServerFrame = ErrorFrame | { type: 'ping' } | { type: 'pong' };

/**
 * Frames from the server on `/ws/app`. The first frame is a snapshot of the sessions as of the event `seq`. There is no
 * snapshot if the query has `after` and all later events are still stored. All events after the snapshot or `after`
 * follow in order, except those about activities shorter than ACTIVITY_SETTLE_MS. A `conversation.grown` event that has
 * to wait for an earlier event is sent twice: immediately as an `early` frame, and again in order.
 */
export type AppServerFrame =
  | CommonServerFrame
  | { type: 'snapshot'; seq: number; sessions: Session[] }
  | { type: 'event'; event: ConsoleEvent }
  | { type: 'early'; event: ConsoleEvent };

/** Text frames from the server on a worker's socket. */
export type WorkerServerFrame =
  | CommonServerFrame
  /** The client clears its terminal, writes `data`, and continues with the output from `offset` on. */
  | { type: 'snapshot'; offset: number; cols: number; rows: number; data: string }
  | { type: 'resized'; offset: number; cols: number; rows: number }
  | { type: 'exited'; offset: number; exitCode: number | null; signal: string | null }
  /**
   * The runner has accepted this input, perhaps on an earlier connection. After a lost connection, the client repeats
   * each input that was not accepted, with the same id. Each input is typed only once. An `error` frame names a
   * rejected input in `details.inputId`.
   */
  | { type: 'accepted'; inputId: string }
  /** Whether this connection is the driver of the terminal, which sets its size. */
  | { type: 'driver'; you: boolean };

import { CLOSE } from '@agent-console/shared/close-codes';
import { ConsoleError, type ErrorCode } from '@agent-console/shared/errors';
import { BAD_FRAMES_MAX, SOCKET_BUFFER_BYTES, SOCKET_CLOSE_MS } from '@agent-console/shared/limits/connections';
import type { AppServerFrame, WorkerServerFrame } from '@agent-console/shared/wire';
import * as v from 'valibot';
import type { RawData, WebSocket } from 'ws';
import { outputMessage } from './message-pool.ts';

/**
 * Number of buffered bytes above which a connection is dropped. Output and events are sent only up to
 * SOCKET_BUFFER_BYTES. Above that, the buffer grows only if the peer sends frames without reading the replies.
 */
const DROP_ABOVE_BYTES = 8 * SOCKET_BUFFER_BYTES;
/** Maximum number of consecutive heartbeats without a response. */
const MISSED_BEATS_MAX = 2;

type ServerFrame = AppServerFrame | WorkerServerFrame;

/** A WebSocket connection: handles its frames in order, enforces its limits and closes it. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #ended = new AbortController();
  readonly #drainedListeners = new Set<() => void>();
  #inbox: string[] = [];
  #handler: ((text: string) => void) | undefined;
  #badFrames = 0;
  #missedBeats = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('pong', () => {
      this.#missedBeats = 0;
    });
    // After an error, `ws` itself closes the connection with the matching code. Without a listener, the event would
    // throw.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#ended.abort();
      this.#notifyDrained();
    });
  }

  /** Aborts when the connection is closed. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Whether the socket's buffer has room for more output. */
  get hasRoom(): boolean {
    return this.#socket.bufferedAmount < SOCKET_BUFFER_BYTES;
  }

  /** Sets the function that receives the peer's text frames. Frames that arrived earlier are passed to it first. */
  onFrame(handler: (text: string) => void): void {
    this.#handler = handler;
    const waiting = this.#inbox;
    this.#inbox = [];
    this.resumeReading();
    for (const text of waiting) handler(text);
  }

  /** Queues all further frames until `onFrame` is called again. */
  queueFrames(): void {
    this.#handler = undefined;
  }

  pauseReading(): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.pause();
  }

  resumeReading(): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.resume();
  }

  send(frame: ServerFrame): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > DROP_ABOVE_BYTES) {
      this.#socket.terminate();
      return;
    }
    this.#socket.send(JSON.stringify(frame), () => this.#notifyDrained());
  }

  /** Sends output. Returns false if no more should be sent until the peer has read some of it. */
  sendOutput(offset: number, data: Buffer): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    const message = outputMessage(offset, data);
    this.#socket.send(message.bytes, { binary: true }, () => {
      message.release();
      this.#notifyDrained();
    });
    return this.hasRoom;
  }

  /** Registers a callback that runs whenever data was written and the buffer has room again. */
  onDrained(listener: () => void): void {
    this.#drainedListeners.add(listener);
  }

  /** Resolves when the buffer has room or the connection has ended. */
  async room(): Promise<void> {
    while (!this.hasRoom && !this.signal.aborted) {
      await new Promise<void>((resolve) => {
        const listener = () => {
          this.#drainedListeners.delete(listener);
          resolve();
        };
        this.#drainedListeners.add(listener);
      });
    }
  }

  /** Reports a failure that does not end the connection. */
  sendError(error: unknown): void {
    this.send({ type: 'error', ...asConsoleError(error).toBody() });
  }

  /** Sends a failure to the peer, and closes the connection with the close code for the failure's error code. */
  fail(error: unknown): void {
    const failure = asConsoleError(error);
    this.send({ type: 'error', ...failure.toBody() });
    this.close(closeCodeOf(failure.code), failure.code);
  }

  /** Closes the connection. A peer that does not answer the closing frame within SOCKET_CLOSE_MS is dropped. */
  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    const force = setTimeout(() => this.#socket.terminate(), SOCKET_CLOSE_MS);
    this.signal.addEventListener('abort', () => clearTimeout(force));
  }

  /** Validates a text frame. Invalid frames are answered with errors. Too many of them close the connection. */
  parse<S extends v.GenericSchema>(schema: S, text: string): v.InferOutput<S> | undefined {
    const result = v.safeParse(schema, parseJson(text));
    if (result.success) return result.output;
    const [issue] = result.issues;
    const path = v.getDotPath(issue);
    const where = path === null ? '' : `${path}: `;
    this.#refuse(new ConsoleError('VALIDATION', `Invalid frame. ${where}${issue.message}`));
    return undefined;
  }

  /**
   * Called once per heartbeat interval. Sends a ping, or ends the connection if the peer has sent nothing for
   * MISSED_BEATS_MAX heartbeats.
   */
  beat(): void {
    if (this.#missedBeats >= MISSED_BEATS_MAX) {
      this.#socket.terminate();
      return;
    }
    this.#missedBeats += 1;
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.ping();
    this.send({ type: 'ping' });
  }

  #receive(data: RawData, isBinary: boolean): void {
    // Frames that arrive after the closing frame are ignored, because the peer may no longer be authorized.
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#missedBeats = 0;
    if (isBinary) {
      this.#refuse(new ConsoleError('VALIDATION', 'Frames to the console must be text. Send JSON with a "type".'));
      return;
    }
    const text = data.toString();
    if (this.#handler !== undefined) {
      this.#handler(text);
      return;
    }
    this.#inbox.push(text);
    this.pauseReading();
  }

  #refuse(error: ConsoleError): void {
    this.#badFrames += 1;
    this.sendError(error);
    if (this.#badFrames >= BAD_FRAMES_MAX) this.close(CLOSE.badFrame, 'too many invalid frames');
  }

  #notifyDrained(): void {
    if (!this.hasRoom && !this.signal.aborted) return;
    for (const listener of [...this.#drainedListeners]) listener();
  }
}

/** Converts any thrown value to an error for the peer. */
export function asConsoleError(error: unknown): ConsoleError {
  if (error instanceof ConsoleError) return error;
  return new ConsoleError(
    'INTERNAL',
    'Internal error. Try again, and report the problem if it persists.',
    {},
    { cause: error },
  );
}

function closeCodeOf(code: ErrorCode): number {
  switch (code) {
    case 'VALIDATION':
    case 'AMBIGUOUS_ID':
      return CLOSE.badFrame;
    case 'UNAUTHENTICATED':
      return CLOSE.unauthenticated;
    case 'PERMISSION_DENIED':
      return CLOSE.forbidden;
    case 'NOT_FOUND':
      return CLOSE.notFound;
    case 'BUSY':
    case 'RUNNER_UNAVAILABLE':
    case 'TIMEOUT':
    case 'LIMIT_EXCEEDED':
      return CLOSE.tryAgain;
    default:
      return CLOSE.failed;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

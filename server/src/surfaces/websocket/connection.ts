import { CLOSE } from '@agent-console/shared/close-codes';
import { ConsoleError, type ErrorCode } from '@agent-console/shared/errors';
import { BAD_FRAMES_MAX, SOCKET_BUFFER_BYTES, SOCKET_CLOSE_MS } from '@agent-console/shared/limits/connections';
import type { AppServerFrame, WorkerServerFrame } from '@agent-console/shared/wire';
import * as v from 'valibot';
import type { RawData, WebSocket } from 'ws';
import { outputMessage } from './message-pool.ts';

/**
 * A connection with more buffered bytes is dropped. Output and events stop at SOCKET_BUFFER_BYTES, so everything beyond
 * is replies to the peer's own frames, which the peer does not read.
 */
const PILED_UP_BYTES = 8 * SOCKET_BUFFER_BYTES;
/** Maximum consecutive heartbeats without a response. */
const MISSED_BEATS_MAX = 2;

type ServerFrame = AppServerFrame | WorkerServerFrame;

/** A WebSocket connection. Handles its frames in order, its limits and its end. */
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
    // The library itself closes the connection with the matching code. Without a listener, an error event would throw.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#ended.abort();
      this.#wake();
    });
  }

  /** Aborts when the connection is closed. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Whether more may currently be written to the socket. */
  get hasRoom(): boolean {
    return this.#socket.bufferedAmount < SOCKET_BUFFER_BYTES;
  }

  /** Sets the receiver of the peer's text frames. The handler first receives the frames that have waited for it. */
  onFrame(handler: (text: string) => void): void {
    this.#handler = handler;
    const waiting = this.#inbox;
    this.#inbox = [];
    this.resumeReading();
    for (const text of waiting) handler(text);
  }

  /** Queues further frames until `onFrame` is called again. */
  holdFrames(): void {
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
    if (this.#socket.bufferedAmount > PILED_UP_BYTES) {
      this.#socket.terminate();
      return;
    }
    this.#socket.send(JSON.stringify(frame), () => this.#wake());
  }

  /** Sends output. Returns false if nothing more should be sent until the peer has read some. */
  sendOutput(offset: number, data: Buffer): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    const message = outputMessage(offset, data);
    this.#socket.send(message.bytes, { binary: true }, () => {
      message.release();
      this.#wake();
    });
    return this.hasRoom;
  }

  /** Calls back whenever data was written and there is room again. */
  onDrained(listener: () => void): void {
    this.#drainedListeners.add(listener);
  }

  /** Resolves when there is room or the connection has ended. */
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

  /** Reports a failure and closes with the matching code. */
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

  /** Validates a text frame. Invalid frames are answered with errors, and too many end the connection. */
  parse<S extends v.GenericSchema>(schema: S, text: string): v.InferOutput<S> | undefined {
    const result = v.safeParse(schema, parseJson(text));
    if (result.success) return result.output;
    const [issue] = result.issues;
    const path = v.getDotPath(issue);
    const where = path === null ? '' : `${path}: `;
    this.#refuse(new ConsoleError('VALIDATION', `Invalid frame. ${where}${issue.message}`));
    return undefined;
  }

  /** Called once per heartbeat interval. */
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
    // Frames after the closing frame may come from a peer that is no longer authorized.
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

  #wake(): void {
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

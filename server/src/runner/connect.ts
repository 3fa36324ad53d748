import net from 'node:net';
import { ConsoleError } from '@agent-console/shared/errors';
import { RUNNER_REQUEST_MS, RUNNER_START_MS } from '@agent-console/shared/limits/runner';
import * as v from 'valibot';
import { CLIENT_CAPABILITIES } from './capabilities.ts';
import { Event, Response, RunnerHello } from './messages.ts';
import { readRunnerFile, socketPaths } from './paths.ts';
import {
  decodeJson,
  encodeFrame,
  encodeJson,
  encodeRequest,
  FRAME,
  type Frame,
  FrameReader,
  PROTOCOL_VERSIONS,
} from './protocol.ts';
import { within } from './within.ts';

/** Size of a connection's receive buffer, and minimum free space in the buffer before each read, in bytes. */
const READ_BYTES = 512 * 1024;
const READ_ROOM = 64 * 1024;

export interface ConnectionEvents {
  /** Called for each frame of a stream. The payload is valid until the call returns. */
  frame(frame: Frame): void;
  event(event: Event): void;
  /** Called once, when the socket is closed. */
  gone(): void;
}

type Greeting = Exclude<v.InferOutput<typeof RunnerHello>, { error: unknown }>;

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout | undefined;
}

/**
 * A connection to the runner on which both sides have sent `hello`. Both sides can send frames; requests of the client
 * get responses.
 */
export class RunnerConnection {
  readonly greeting: Greeting;
  readonly #socket: net.Socket;
  readonly #pending: Map<number, Pending>;
  #lastId = 0;

  constructor(socket: net.Socket, greeting: Greeting, pending: Map<number, Pending>) {
    this.#socket = socket;
    this.greeting = greeting;
    this.#pending = pending;
  }

  /**
   * Sends a request and waits for the response.
   * @param limitMs maximum time in milliseconds to wait; null to wait for as long as the runner is alive.
   * @throws the error in the response; RUNNER_UNAVAILABLE when the runner is gone; TIMEOUT.
   */
  async request<Schema extends v.GenericSchema>(
    schema: Schema,
    request: { op: string } & Record<string, unknown>,
    bytes?: Buffer,
    limitMs: number | null = RUNNER_REQUEST_MS,
  ): Promise<v.InferOutput<Schema>> {
    if (this.#socket.destroyed) throw runnerGone();
    this.#lastId = this.#lastId === 0xffffffff ? 1 : this.#lastId + 1;
    const id = this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => {
      const late = () => {
        this.#pending.delete(id);
        reject(new ConsoleError('TIMEOUT', `The runner did not answer "${request.op}" in time; try again`));
      };
      const timer = limitMs === null ? undefined : setTimeout(late, limitMs);
      this.#pending.set(id, { resolve, reject, timer });
    });
    this.#socket.write(encodeRequest({ id, ...request }, bytes));
    return v.parse(schema, await answer);
  }

  ack(handle: number, offset: number): void {
    if (!this.#socket.destroyed) this.#socket.write(encodeFrame(FRAME.ack, handle, offset));
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Resolves when either side has closed the connection. */
  async closed(): Promise<void> {
    if (this.#socket.closed) return;
    await new Promise<void>((resolve) => this.#socket.once('close', () => resolve()));
  }
}

/**
 * Connects to the runner of a data directory.
 * @throws RUNNER_UNAVAILABLE when no runner listens, TIMEOUT when it does not answer, UNSUPPORTED for another protocol.
 */
export async function openConnection(home: string, events: ConnectionEvents): Promise<RunnerConnection> {
  const pending = new Map<number, Pending>();
  let greet: (payload: Buffer) => void = () => undefined;
  const greeted = new Promise<Greeting>((resolve, reject) => {
    greet = (payload) => readGreeting(payload, resolve, reject);
  });
  const reader = new FrameReader(READ_BYTES, READ_ROOM, (frame) => {
    if (frame.type === FRAME.response) settle(pending, frame.payload);
    else if (frame.type === FRAME.event) dispatch(events, frame.payload);
    else if (frame.type === FRAME.hello) greet(frame.payload);
    else events.frame(frame);
  });
  const socket = await connectToRunner(home, reader);
  let ready = false;
  const gone = new Promise<never>((_, reject) => {
    socket.once('close', () => {
      for (const each of pending.values()) fail(each, runnerGone());
      pending.clear();
      reject(runnerGone());
      if (ready) events.gone();
    });
  });
  gone.catch(() => undefined);
  socket.write(encodeJson(FRAME.hello, { protocols: PROTOCOL_VERSIONS, capabilities: CLIENT_CAPABILITIES }));
  try {
    const greeting = await within(Promise.race([greeted, gone]), RUNNER_START_MS, () => {
      throw unresponsiveRunner(home);
    });
    ready = true;
    return new RunnerConnection(socket, greeting, pending);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function runnerGone(cause?: unknown): ConsoleError {
  const message = 'The runner is not running. Start it with `agent-console serve`';
  return new ConsoleError('RUNNER_UNAVAILABLE', message, {}, { cause, retryable: false });
}

/** Connects to the first socket on which a process listens. @throws RUNNER_UNAVAILABLE */
async function connectToRunner(home: string, reader: FrameReader): Promise<net.Socket> {
  let failure: unknown;
  for (const socketFile of socketPaths(home)) {
    try {
      return await connect(socketFile, reader);
    } catch (error) {
      failure = error;
    }
  }
  throw runnerGone(failure);
}

/**
 * Creates the error for a runner that accepts connections but does not respond. Such a runner must not be replaced,
 * because its agents still run.
 */
function unresponsiveRunner(home: string): ConsoleError {
  const pid = readRunnerFile(home)?.pid;
  const hint =
    pid === undefined
      ? ''
      : `. If the output of \`ps -o stat= -p ${pid}\` begins with T, the runner is stopped: run \`kill -CONT ${pid}\``;
  const seconds = RUNNER_START_MS / 1_000;
  const message = `The runner of ${home} and its agents are running, but the runner has not answered for ${seconds} s; this machine may be overloaded${hint}`;
  return new ConsoleError('TIMEOUT', message, { home });
}

function connect(socketFile: string, reader: FrameReader): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({
      path: socketFile,
      onread: {
        buffer: () => reader.space(),
        callback(bytes: number) {
          try {
            reader.received(bytes);
          } catch (error) {
            socket.destroy(error as Error);
          }
          return true;
        },
      },
    });
    socket.once('connect', () => resolve(socket));
    socket.on('error', reject);
  });
}

function readGreeting(payload: Buffer, resolve: (greeting: Greeting) => void, reject: (error: Error) => void): void {
  const hello = v.parse(RunnerHello, decodeJson(payload));
  if ('error' in hello) reject(ConsoleError.fromBody(hello) ?? runnerGone());
  else resolve(hello);
}

function settle(pending: Map<number, Pending>, payload: Buffer): void {
  const response = v.parse(Response, decodeJson(payload));
  const request = pending.get(response.id);
  if (request === undefined) return;
  pending.delete(response.id);
  if ('error' in response) {
    const unreadable = new ConsoleError(
      'INTERNAL',
      'The runner sent an unreadable response. Run `agent-console doctor` to check the runner',
    );
    fail(request, ConsoleError.fromBody(response) ?? unreadable);
    return;
  }
  clearTimeout(request.timer);
  request.resolve(response.result);
}

function fail(request: Pending, error: Error): void {
  clearTimeout(request.timer);
  request.reject(error);
}

function dispatch(events: ConnectionEvents, payload: Buffer): void {
  // Events that this server does not know are ignored: a newer runner may send them.
  const event = v.safeParse(Event, decodeJson(payload));
  if (event.success) events.event(event.output);
}

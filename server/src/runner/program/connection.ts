import type net from 'node:net';
import { ConsoleError } from '@agent-console/shared/errors';
import { RUNNER_CONNECTION_HIGH_BYTES, RUNNER_CONNECTION_MAX_BYTES } from '@agent-console/shared/limits/runner';
import * as v from 'valibot';
import { ClientHello, Request, RequestId } from '../messages.ts';
import {
  decodeJson,
  decodeRequest,
  encodeFrame,
  encodeHeader,
  encodeJson,
  FRAME,
  type Frame,
  FrameReader,
  PROTOCOL_VERSION,
  ProtocolError,
} from '../protocol.ts';
import { journal } from './journal.ts';
import type { Slab } from './slab.ts';
import type { Outlet, Subscription } from './subscription.ts';

/**
 * Size of the read buffer, and minimum free space in the buffer before each read, in bytes. Clients usually send small
 * frames; a longer frame enlarges the buffer until it is processed.
 */
const READ_BYTES = 16 * 1024;
const READ_ROOM = 1024;

export interface ConnectionHandlers {
  /** Returns the fields of the runner's `hello` message, except the protocol version. */
  greet(): Record<string, unknown>;
  /** Answers a request. `bytes` is a view of the read buffer, which is valid until the first await. */
  answer(connection: Connection, request: Request, bytes: Buffer): Promise<unknown>;
  closed(connection: Connection): void;
}

/** The connection of a client. Invalid data from the client closes only this connection. */
export class Connection implements Outlet {
  readonly #socket: net.Socket;
  readonly #handlers: ConnectionHandlers;
  readonly #subscriptions = new Map<number, Subscription>();
  #greeted = false;

  constructor(socket: net.Socket, handlers: ConnectionHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    const reader = new FrameReader(READ_BYTES, READ_ROOM, (frame) => this.#receive(frame));
    socket.on('data', (chunk: Buffer) => {
      try {
        reader.feed(chunk);
      } catch (error) {
        this.#refuse(error);
      }
    });
    socket.on('drain', () => {
      for (const subscription of [...this.#subscriptions.values()]) subscription.pump();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const subscription of this.#subscriptions.values()) subscription.close();
      this.#handlers.closed(this);
      this.#subscriptions.clear();
    });
  }

  /**
   * Whether the socket has so much unsent data that no more output should be sent for now. Readers receive the output
   * later, from the log.
   */
  get congested(): boolean {
    return this.#socket.destroyed || this.#socket.writableLength > RUNNER_CONNECTION_HIGH_BYTES;
  }

  addSubscription(subscription: Subscription): void {
    this.#subscriptions.set(subscription.handle, subscription);
  }

  removeSubscription(handle: number): void {
    this.#subscriptions.get(handle)?.close();
    this.#subscriptions.delete(handle);
  }

  /** Sends output without copying it. The slab is retained until the socket has sent the bytes. */
  sendBytes(handle: number, offset: number, data: Buffer, slab: Slab): void {
    if (this.#socket.destroyed) return;
    slab.retain();
    this.#socket.cork();
    this.#socket.write(encodeHeader(FRAME.output, handle, offset, data.length));
    this.#socket.write(data, slab.release);
    this.#socket.uncork();
  }

  sendFrame(type: number, handle: number, offset: number, payload: Buffer): void {
    this.#write(encodeFrame(type, handle, offset, payload));
  }

  sendEvent(event: unknown): void {
    if (this.#greeted) this.#write(encodeJson(FRAME.event, event));
  }

  end(): void {
    this.#socket.end();
  }

  #write(frame: Buffer): void {
    if (this.#socket.destroyed) return;
    this.#socket.write(frame);
    if (this.#socket.writableLength > RUNNER_CONNECTION_MAX_BYTES) {
      this.#refuse(new ProtocolError('the client does not read responses of the runner'));
    }
  }

  #refuse(error: unknown): void {
    const why = error instanceof ProtocolError ? error.message : String(error instanceof Error ? error.stack : error);
    journal(`closing a connection: ${why}`);
    this.#socket.destroy();
  }

  #receive(frame: Frame): void {
    if (this.#socket.destroyed) return;
    if (!this.#greeted) this.#greet(frame);
    else if (frame.type === FRAME.ack) this.#subscriptions.get(frame.handle)?.ack(frame.offset);
    else if (frame.type === FRAME.request) this.#request(frame.payload);
    else throw new ProtocolError(`unexpected frame type ${frame.type}`);
  }

  #greet(frame: Frame): void {
    const hello = frame.type === FRAME.hello ? v.safeParse(ClientHello, decodeJson(frame.payload)) : undefined;
    if (hello?.success !== true) throw new ProtocolError('the first message must be a valid `hello`');
    if (!hello.output.protocols.includes(PROTOCOL_VERSION)) {
      const hint =
        'Use a version of Agent Console that supports this protocol, such as the version that started the runner';
      const message = `The runner requires protocol version ${PROTOCOL_VERSION}. Its agents keep running. ${hint}`;
      this.#write(encodeJson(FRAME.hello, new ConsoleError('UNSUPPORTED', message).toBody()));
      this.#socket.end();
      return;
    }
    this.#greeted = true;
    this.#write(encodeJson(FRAME.hello, { protocol: PROTOCOL_VERSION, ...this.#handlers.greet() }));
  }

  #request(payload: Buffer): void {
    const { json, bytes } = decodeRequest(payload);
    const identified = v.safeParse(RequestId, json);
    if (!identified.success) throw new ProtocolError('request has no valid id');
    const { id } = identified.output;
    const parsed = v.safeParse(Request, json);
    if (!parsed.success) {
      const problems = v.flatten(parsed.issues).nested ?? {};
      const error = new ConsoleError(
        'VALIDATION',
        'The runner does not understand this request. Run `agent-console doctor` to check the runner',
        problems,
      );
      this.#write(encodeJson(FRAME.response, { id, ...error.toBody() }));
      return;
    }
    this.#handlers.answer(this, parsed.output, bytes).then(
      (result) => this.#write(encodeJson(FRAME.response, { id, result: result ?? null })),
      (error: unknown) => this.#write(encodeJson(FRAME.response, { id, ...this.#failure(parsed.output.op, error) })),
    );
  }

  #failure(op: string, error: unknown): object {
    if (error instanceof ConsoleError) return error.toBody();
    journal(`${op} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    const message = `The runner could not execute the request "${op}". See runner.log in the data directory`;
    return new ConsoleError('INTERNAL', message).toBody();
  }
}

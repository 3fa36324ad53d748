import { CLOSE } from '@agent-console/shared/close-codes';
import { HEARTBEAT_MS } from '@agent-console/shared/limits/connections';
import { currentToken, signOut } from './token.ts';

const BACKOFF_MIN_MS = 250;
const BACKOFF_MAX_MS = 10_000;
/**
 * Time in milliseconds without a frame after which a socket counts as dead. The console sends at least one frame per
 * heartbeat interval.
 */
const SILENCE_MS = 2.5 * HEARTBEAT_MS;
/** Close codes after which the socket does not reconnect, because the next attempt would fail in the same way. */
const FINAL: readonly number[] = [CLOSE.badFrame, CLOSE.forbidden, CLOSE.notFound, CLOSE.failed];

export type SocketState =
  | { kind: 'connecting' }
  | { kind: 'open' }
  /** Disconnected; the next attempt is at `retryAt` (milliseconds since the epoch). */
  | { kind: 'waiting'; retryAt: number }
  | { kind: 'ended'; reason: string };

export interface SocketEvents<Frame> {
  /** Returns the path and query of the URL to connect to. */
  path(): string;
  onFrame(frame: Frame): void;
  onOutput?(offset: number, bytes: Uint8Array): void;
  onState(state: SocketState): void;
}

/** A WebSocket that authenticates, answers heartbeats, and reconnects with backoff until closed. */
export class ReconnectingSocket<Frame extends { type: string }> {
  readonly #events: SocketEvents<Frame>;
  #socket: WebSocket | undefined;
  #state: SocketState = { kind: 'connecting' };
  #attempts = 0;
  #retry: number | undefined;
  #silenceTimer: number | undefined;
  #error = '';
  readonly #onVisible = () => {
    if (this.#state.kind === 'waiting' && document.visibilityState === 'visible') this.retryNow();
  };

  constructor(events: SocketEvents<Frame>) {
    this.#events = events;
    window.addEventListener('online', this.#onVisible);
    document.addEventListener('visibilitychange', this.#onVisible);
    this.#connect();
  }

  get isOpen(): boolean {
    return this.#state.kind === 'open';
  }

  /** Sends a frame. Returns false when disconnected. */
  send(frame: object): boolean {
    if (!this.isOpen || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  retryNow(): void {
    clearTimeout(this.#retry);
    this.#connect();
  }

  close(): void {
    window.removeEventListener('online', this.#onVisible);
    document.removeEventListener('visibilitychange', this.#onVisible);
    clearTimeout(this.#retry);
    clearTimeout(this.#silenceTimer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #connect(): void {
    const token = currentToken();
    if (token === null) return;
    // Closes the socket of an earlier attempt to connect. If that attempt succeeded too, the console would serve two
    // viewers.
    this.#drop();
    this.#setState({ kind: 'connecting' });
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    const socket = new WebSocket(`${scheme}://${location.host}${this.#events.path()}`);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    this.#error = '';
    this.#resetSilenceTimer();
    socket.onopen = () => socket.send(JSON.stringify({ type: 'auth', token }));
    socket.onmessage = ({ data }) => {
      if (socket === this.#socket) this.#receive(data);
    };
    socket.onclose = ({ code }) => {
      if (socket === this.#socket) this.#handleClose(code);
    };
  }

  #receive(data: unknown): void {
    this.#resetSilenceTimer();
    if (data instanceof ArrayBuffer) {
      this.#handleOpen();
      const offset = Number(new DataView(data).getBigUint64(0));
      this.#events.onOutput?.(offset, new Uint8Array(data, 8));
      return;
    }
    const frame = JSON.parse(String(data)) as Frame & { error?: { message?: string } };
    if (frame.type === 'error') {
      this.#error = frame.error?.message ?? '';
      if (this.isOpen) this.#events.onFrame(frame);
      return;
    }
    this.#handleOpen();
    if (frame.type === 'ping') this.send({ type: 'pong' });
    else this.#events.onFrame(frame);
  }

  #handleOpen(): void {
    if (this.isOpen) return;
    this.#attempts = 0;
    this.#setState({ kind: 'open' });
  }

  #handleClose(code: number): void {
    clearTimeout(this.#silenceTimer);
    this.#socket = undefined;
    if (code === CLOSE.unauthenticated) {
      signOut();
    } else if (FINAL.includes(code)) {
      this.#setState({ kind: 'ended', reason: this.#error || 'The console rejected the connection. Reload the page.' });
    } else {
      const wait = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** this.#attempts) * (0.75 + Math.random() / 2);
      this.#attempts += 1;
      this.#retry = window.setTimeout(() => this.#connect(), wait);
      this.#setState({ kind: 'waiting', retryAt: Date.now() + wait });
    }
  }

  /** Closes the socket. Its close event, which may be minutes late on a dead connection, is ignored. */
  #drop(): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    socket.onclose = null;
    socket.close();
  }

  #resetSilenceTimer(): void {
    clearTimeout(this.#silenceTimer);
    const socket = this.#socket;
    this.#silenceTimer = window.setTimeout(() => {
      if (socket === undefined || socket !== this.#socket) return;
      this.#drop();
      this.#handleClose(0);
    }, SILENCE_MS);
  }

  #setState(state: SocketState): void {
    this.#state = state;
    this.#events.onState(state);
  }
}

import type { WorkerServerFrame } from '@agent-console/shared/wire';
import WebSocket from 'ws';

/** A section of the output without gaps. It starts where a connection starts, or at a snapshot. */
export interface Stretch {
  from: number;
  chunks: { offset: number; data: Buffer; size: { cols: number; rows: number } | undefined }[];
  /**
   * How this output began: at a requested offset, with a connection's first snapshot, or with another snapshot on the
   * same connection.
   */
  began: 'offset' | 'snapshot' | 'again';
  /** For `again`: milliseconds without an acknowledgement by the viewer before this output began. */
  silentMs: number;
}

/** The viewer acknowledges output each time it has received this many bytes. The dashboard acknowledges less often. */
const ACK_BYTES = 32 * 1024;

/**
 * One user's view of one terminal, over many connections in turn. It records everything it receives, and the faults
 * that it finds.
 */
export class LiveViewer {
  readonly #url: () => string;
  readonly stretches: Stretch[] = [];
  readonly faults: string[] = [];
  exits: { offset: number; exitCode: number | null; signal: string | null }[] = [];
  driving = false;
  acks = true;
  paused = false;
  #socket: WebSocket | undefined;
  /** Offset of the next byte; undefined before the first output. */
  next: number | undefined;
  #acked = 0;
  #ackedAt = performance.now();
  #size: { cols: number; rows: number } | undefined;
  /** Inputs that the console has not yet acknowledged: the text by input id, in the order of typing. */
  #typed = new Map<string, string>();
  #inputs = 0;
  readonly #name: string;

  constructor(name: string, url: () => string) {
    this.#name = name;
    this.#url = url;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  get isConnecting(): boolean {
    return this.#socket !== undefined;
  }

  get unaccepted(): number {
    return this.#typed.size;
  }

  /**
   * Connects, and continues at the offset that was reached (`resume`) or starts without an offset (`anew`). Resends
   * inputs that the console has not yet acknowledged, with the same ids.
   */
  connect(how: 'resume' | 'anew' = 'resume'): void {
    if (this.#socket !== undefined) return;
    const from = how === 'resume' ? this.next : undefined;
    const socket = new WebSocket(this.#url() + (from === undefined ? '' : `?fromOffset=${from}`), {
      perMessageDeflate: false,
    });
    this.#socket = socket;
    this.next = from;
    this.#size = undefined;
    this.exits = [];
    if (from !== undefined) this.#begin(from, 'offset');
    socket.binaryType = 'nodebuffer';
    socket.on('open', () => {
      for (const [inputId, data] of this.#typed) this.#send({ type: 'input', data, inputId });
    });
    socket.on('message', (data, isBinary) => {
      if (this.#socket !== socket) return;
      if (isBinary) this.#output(data as Buffer);
      else this.#told(JSON.parse(data.toString()) as WorkerServerFrame);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.driving = false;
      this.paused = false;
    });
  }

  /** Disconnects with or without a close frame. */
  leave(how: 'close' | 'terminate'): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.driving = false;
    this.paused = false;
    if (how === 'close') socket?.close();
    else socket?.terminate();
  }

  pause(): void {
    if (!this.isOpen) return;
    this.paused = true;
    this.#socket?.pause();
  }

  resume(): void {
    this.paused = false;
    this.acks = true;
    if (this.isOpen) this.#socket?.resume();
    this.#acknowledge(0);
  }

  /** Types a line. It is pending until the console acknowledges it, possibly on a later connection. */
  type(data: string): void {
    this.#inputs += 1;
    const inputId = `${this.#name}-${this.#inputs}`;
    this.#typed.set(inputId, data);
    this.#send({ type: 'input', data, inputId });
  }

  resize(cols: number, rows: number): void {
    this.#send({ type: 'resize', cols, rows });
  }

  takeDriver(): void {
    this.#send({ type: 'takeDriver' });
  }

  #send(frame: unknown): void {
    if (this.isOpen) this.#socket?.send(JSON.stringify(frame));
  }

  #begin(from: number, began: Stretch['began'], silentMs = 0): void {
    this.stretches.push({ from, chunks: [], began, silentMs });
    this.#acked = from;
    this.#ackedAt = performance.now();
  }

  #output(message: Buffer): void {
    const offset = Number(message.readBigUInt64BE(0));
    const data = message.subarray(8);
    const stretch = this.stretches.at(-1);
    if (offset !== this.next || stretch === undefined) {
      this.#fault(`bytes at ${offset} where ${this.next} was next`);
      return;
    }
    if (this.exits.length > 0) this.#fault(`bytes at ${offset} after the exit`);
    stretch.chunks.push({ offset, data, size: this.#size });
    this.next = offset + data.length;
    if (this.acks) this.#acknowledge(ACK_BYTES);
  }

  #acknowledge(step: number): void {
    if (this.next === undefined || this.next - this.#acked < step) return;
    this.#acked = this.next;
    this.#ackedAt = performance.now();
    this.#send({ type: 'ack', offset: this.next });
  }

  #told(frame: WorkerServerFrame): void {
    switch (frame.type) {
      case 'snapshot': {
        const again = this.next !== undefined;
        this.#begin(frame.offset, again ? 'again' : 'snapshot', performance.now() - this.#ackedAt);
        this.next = frame.offset;
        this.#size = { cols: frame.cols, rows: frame.rows };
        return;
      }
      case 'resized':
        if (frame.offset !== this.next) this.#fault(`a size at ${frame.offset} where ${this.next} was next`);
        this.#size = { cols: frame.cols, rows: frame.rows };
        return;
      case 'exited':
        if (frame.offset !== this.next) this.#fault(`an exit at ${frame.offset} where ${this.next} was next`);
        this.exits.push({ offset: frame.offset, exitCode: frame.exitCode, signal: frame.signal });
        return;
      case 'driver':
        this.driving = frame.you;
        return;
      case 'accepted':
        this.#typed.delete(frame.inputId);
        return;
      case 'ping':
        this.#send({ type: 'pong' });
        return;
      case 'error':
        // Two errors are expected: CONFLICT for a viewer that does not control the size, and a retryable error for a
        // line that is typed just when the server dies.
        if (!frame.error.retryable && frame.error.code !== 'CONFLICT') this.#fault(`error ${frame.error.message}`);
        return;
      default:
    }
  }

  #fault(what: string): void {
    this.faults.push(`${this.#name}: ${what}`);
  }
}

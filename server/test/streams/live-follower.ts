import http from 'node:http';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { AppServerFrame } from '@agent-console/shared/wire';
import WebSocket from 'ws';

/** The events that one connection delivered after a cursor, without gaps. */
interface Following {
  after: number;
  events: ConsoleEvent[];
}

/** A client of the live events, over many connections in turn. It records everything it receives. */
export interface LiveFollower {
  readonly followings: readonly Following[];
  readonly faults: readonly string[];
  readonly isConnecting: boolean;
  /** Sequence number of the last event received. */
  readonly cursor: number | undefined;
  /** Connects, and continues after the last event (`resume`) or starts without a cursor (`anew`). */
  connect(how?: 'resume' | 'anew'): void;
  leave(): void;
  pause(): void;
  resume(): void;
}

abstract class Follower implements LiveFollower {
  readonly followings: Following[] = [];
  readonly faults: string[] = [];
  cursor: number | undefined;
  protected readonly baseUrl: () => string;

  constructor(baseUrl: () => string) {
    this.baseUrl = baseUrl;
  }

  abstract readonly isConnecting: boolean;
  abstract pause(): void;
  abstract resume(): void;
  abstract leave(): void;
  protected abstract open(after: number | undefined): void;

  connect(how: 'resume' | 'anew' = 'resume'): void {
    if (this.isConnecting) return;
    if (how === 'anew') this.cursor = undefined;
    if (this.cursor !== undefined) this.followings.push({ after: this.cursor, events: [] });
    this.open(this.cursor);
  }

  protected beginAt(cursor: number): void {
    if (this.cursor !== undefined) this.faults.push(`began again at ${cursor} behind ${this.cursor}`);
    this.cursor = cursor;
    this.followings.push({ after: cursor, events: [] });
  }

  protected take(event: ConsoleEvent): void {
    if (this.cursor === undefined || event.seq <= this.cursor) this.faults.push(`${event.seq} behind ${this.cursor}`);
    this.cursor = event.seq;
    this.followings.at(-1)?.events.push(event);
  }
}

/** A client of the live events over the WebSocket `/ws/app`. */
export class SocketFollower extends Follower {
  #socket: WebSocket | undefined;

  get isConnecting(): boolean {
    return this.#socket !== undefined;
  }

  protected open(after: number | undefined): void {
    const query = after === undefined ? '' : `?after=${after}`;
    const socket = new WebSocket(`${this.baseUrl().replace('http', 'ws')}/ws/app${query}`);
    this.#socket = socket;
    socket.on('message', (data) => {
      if (this.#socket !== socket) return;
      const frame = JSON.parse(data.toString()) as AppServerFrame;
      if (frame.type === 'snapshot') this.beginAt(frame.seq);
      else if (frame.type === 'event') this.take(frame.event);
      else if (frame.type === 'ping') socket.send('{"type":"pong"}');
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
    });
  }

  leave(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.terminate();
  }

  pause(): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.pause();
  }

  resume(): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.resume();
  }
}

/** A client of the event stream, which sends its last event id as a browser does. */
export class StreamFollower extends Follower {
  #request: http.ClientRequest | undefined;
  #response: http.IncomingMessage | undefined;

  get isConnecting(): boolean {
    return this.#request !== undefined;
  }

  protected open(after: number | undefined): void {
    const headers = after === undefined ? {} : { 'last-event-id': String(after) };
    const request = http.get(`${this.baseUrl()}/api/events/stream`, { headers, agent: false });
    this.#request = request;
    const over = () => {
      if (this.#request === request) this.leave();
    };
    request.on('error', over);
    request.on('response', (response) => {
      this.#response = response;
      let rest = '';
      response.setEncoding('utf8');
      response.on('error', over);
      response.on('close', over);
      response.on('data', (text: string) => {
        if (this.#request !== request) return;
        const messages = (rest + text).split('\n\n');
        rest = messages.pop() ?? '';
        for (const message of messages) this.#message(message);
      });
    });
  }

  leave(): void {
    const request = this.#request;
    this.#request = undefined;
    this.#response = undefined;
    request?.destroy();
  }

  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  #message(message: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(message)?.[1];
    const id = field('id');
    const data = field('data');
    if (field('event') !== undefined) this.faults.push(`an unexpected message: ${message}`);
    else if (id !== undefined && data === undefined) {
      if (this.cursor === undefined) this.beginAt(Number(id));
    } else if (data !== undefined) {
      const event = JSON.parse(data) as ConsoleEvent;
      if (id !== String(event.seq)) this.faults.push(`event ${event.seq} has the id ${id}`);
      this.take(event);
    }
  }
}

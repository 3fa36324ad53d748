import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { WorkerClientFrame, WorkerServerFrame } from '@agent-console/shared/wire';

/** The server's copy of `ws`, because the client does not depend on the package. */
const ws = createRequire(new URL('../../../server/package.json', import.meta.url))('ws') as {
  WebSocket: typeof WebSocket;
  WebSocketServer: new (options: { port: number; host: string }) => SocketServer;
};

interface ServerSocket {
  send(data: string | Uint8Array): void;
  close(code?: number): void;
  terminate(): void;
  on(event: 'message', listener: (data: Buffer) => void): void;
  on(event: 'close', listener: () => void): void;
}

interface SocketServer {
  address(): AddressInfo;
  on(event: 'connection', listener: (socket: ServerSocket, request: { url: string }) => void): void;
  on(event: 'listening', listener: () => void): void;
  close(done: () => void): void;
}

/** Server side of one connection. */
export class Peer {
  readonly path: string;
  readonly received: WorkerClientFrame[] = [];
  /** Whether the client has sent its token. */
  isIdentified = false;
  isClosed = false;
  readonly #socket: ServerSocket;
  readonly #changed: () => void;

  constructor(socket: ServerSocket, path: string, changed: () => void) {
    this.path = path;
    this.#socket = socket;
    this.#changed = changed;
    socket.on('message', (data) => {
      const frame = JSON.parse(data.toString());
      if (frame.type === 'auth') this.isIdentified = true;
      else this.received.push(frame);
      this.#changed();
    });
    socket.on('close', () => {
      this.isClosed = true;
      this.#changed();
    });
  }

  get inputs(): string[] {
    return this.received.flatMap((frame) => (frame.type === 'input' ? [frame.data] : []));
  }

  get inputIds(): string[] {
    return this.received.flatMap((frame) => (frame.type === 'input' ? [frame.inputId ?? ''] : []));
  }

  send(frame: WorkerServerFrame): void {
    this.#socket.send(JSON.stringify(frame));
  }

  print(offset: number, text: string): void {
    const bytes = Buffer.from(text);
    const frame = Buffer.alloc(8 + bytes.length);
    frame.writeBigUInt64BE(BigInt(offset));
    bytes.copy(frame, 8);
    this.#socket.send(frame);
  }

  /** Drops the connection, as if the server had been killed. */
  cut(): void {
    this.#socket.terminate();
  }
}

/** Runs a WebSocket server, and defines the browser globals that the client's connections use. */
export class ConsoleSockets {
  readonly peers: Peer[] = [];
  readonly #server: SocketServer;
  #waiting: (() => void)[] = [];

  private constructor(server: SocketServer) {
    this.#server = server;
    this.#server.on('connection', (socket, { url }) => {
      this.peers.push(new Peer(socket, url, () => this.changed()));
      this.changed();
    });
    const events = new EventTarget();
    Object.assign(globalThis, {
      WebSocket: ws.WebSocket,
      window: Object.assign(events, { setTimeout }),
      document: Object.assign(new EventTarget(), { visibilityState: 'visible' }),
      location: { protocol: 'http:', host: `127.0.0.1:${this.#server.address().port}` },
      localStorage: { getItem: () => 'token', setItem() {}, removeItem() {} },
    });
  }

  static async start(): Promise<ConsoleSockets> {
    const server = new ws.WebSocketServer({ port: 0, host: '127.0.0.1' });
    await new Promise<void>((resolve) => server.on('listening', resolve));
    return new ConsoleSockets(server);
  }

  /** Checks again all conditions that tests are waiting for. */
  changed(): void {
    for (const check of this.#waiting.splice(0)) check();
  }

  /** Waits until `condition` returns a value, checked after each frame. */
  async until<T>(condition: () => T | undefined | false): Promise<T> {
    for (;;) {
      const found = condition();
      if (found !== undefined && found !== false) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async peer(number: number): Promise<Peer> {
    return this.until(() => this.peers[number]);
  }

  async close(): Promise<void> {
    for (const peer of this.peers) peer.cut();
    await new Promise<void>((resolve) => this.#server.close(resolve));
  }
}

import { createHash } from 'node:crypto';
import { load } from './packages.mjs';

const { WebSocket } = load('ws');
/** A viewer acknowledges output each time it has read this many bytes. */
const ACK_BYTES = 128 * 1024;

/**
 * A viewer of one terminal, either of the console or of limits/plain.mjs. Stores the output and examines it afterwards,
 * so that the viewer hardly affects the measurement.
 */
class Viewer {
  #chunks = [];
  #bytes = 0;
  #listener = () => {};
  #failed = () => {};
  #opened;
  #isOpen = false;

  constructor(socket, firstFrame) {
    this.socket = socket;
    socket.binaryType = 'nodebuffer';
    socket.on('close', () => this.#failed(new Error(`the socket closed after ${this.#bytes} bytes`)));
    this.#opened = new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.on('message', (data, isBinary) => {
        if (isBinary) this.receive(data);
        else {
          const frame = JSON.parse(data.toString());
          if (!this.#isOpen && firstFrame(frame)) {
            this.#isOpen = true;
            resolve(frame);
          } else {
            this.frame(frame);
          }
        }
      });
    });
  }

  opened() {
    return this.#opened;
  }

  frame() {}

  take(data) {
    this.#chunks.push(data);
    this.#bytes += data.length;
    this.#listener();
  }

  wake() {
    this.#listener();
  }

  reset() {
    this.#chunks = [];
    this.#bytes = 0;
  }

  get bytes() {
    return this.#bytes;
  }

  contents() {
    return Buffer.concat(this.#chunks);
  }

  sha256() {
    const hash = createHash('sha256');
    for (const chunk of this.#chunks) hash.update(chunk);
    return hash.digest('hex');
  }

  /** Resolves in the same tick of the event loop in which `done` becomes true. */
  until(done) {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (!done()) return;
        this.#listener = () => {};
        resolve();
      };
      this.#failed = reject;
      this.#listener = look;
      look();
    });
  }

  untilBytes(count) {
    return this.until(() => this.#bytes >= count);
  }

  untilText(text) {
    return this.until(() => this.contents().includes(text));
  }

  close() {
    this.socket.terminate();
  }
}

class OurViewer extends Viewer {
  #acked = 0;
  /** Offset of the next byte; undefined before the first byte. */
  next;
  /** Number of times bytes were missing or repeated. */
  gaps = 0;
  /**
   * Number of screen snapshots received, without the one with which watching begins. Each replaces output that this
   * viewer did not get.
   */
  restarts = 0;

  receive(message) {
    const offset = Number(message.readBigUInt64BE(0));
    if (this.next !== undefined && this.next !== offset) this.gaps += 1;
    const end = offset + message.length - 8;
    this.next = end;
    this.take(message.subarray(8));
    if (end - this.#acked < ACK_BYTES) return;
    this.#acked = end;
    this.socket.send(JSON.stringify({ type: 'ack', offset: end }));
  }

  frame(frame) {
    if (frame.type === 'ping') this.socket.send('{"type":"pong"}');
    if (frame.type !== 'snapshot') return;
    this.restarts += 1;
    this.next = frame.offset;
    this.#acked = frame.offset;
    this.wake();
  }

  /** Acknowledges everything received, however little. */
  acknowledge() {
    this.socket.send(JSON.stringify({ type: 'ack', offset: this.next }));
  }

  type(data) {
    this.socket.send(JSON.stringify({ type: 'input', data }));
  }
}

class PlainViewer extends Viewer {
  receive(data) {
    this.take(data);
  }

  type(data) {
    this.socket.send(data);
  }
}

/**
 * Watches the output of a console's worker: from `fromOffset` on, or by default a snapshot of the screen and then all
 * new output.
 */
export async function watchWorker(console, { sessionId, id }, fromOffset) {
  const query = fromOffset === undefined ? '' : `?fromOffset=${fromOffset}`;
  const url = `ws://127.0.0.1:${console.port}/ws/session/${sessionId}/worker/${id}${query}`;
  const headers = { authorization: `Bearer ${console.token}` };
  const socket = new WebSocket(url, { headers, perMessageDeflate: false });
  const first = fromOffset === undefined ? 'snapshot' : 'driver';
  const viewer = new OurViewer(socket, (frame) => frame.type === first);
  await viewer.opened();
  return viewer;
}

/** Opens or joins a terminal of limits/plain.mjs and watches it. */
export async function openPlain(port, id = 'new') {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/${id}`, { perMessageDeflate: false });
  const viewer = new PlainViewer(socket, (frame) => frame.id !== undefined);
  viewer.id = (await viewer.opened()).id;
  return viewer;
}

/** Opens a terminal in a console and watches it. */
export async function openOurs(console, session) {
  const worker = await console.api.call('POST', `/sessions/${session.id}/workers`, { type: 'terminal' });
  return { worker, viewer: await watchWorker(console, worker) };
}

import { createHash } from 'node:crypto';
import { load } from './packages.mjs';

const { WebSocket } = load('ws');
/** A viewer says how far it has read each time it read this much more. */
const ACK_BYTES = 128 * 1024;

/**
 * A viewer of one terminal, of ours or of `plain`. Output is kept as it comes and looked at afterwards, so that the
 * viewer costs the same and little.
 */
class Viewer {
  #chunks = [];
  #bytes = 0;
  #listener = () => {};
  #failed = () => {};
  #opened;

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
          if (firstFrame(frame)) resolve(frame);
          else this.frame(frame);
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

  /** Forgets what came so far. */
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

  /** Resolves in the very turn in which `done` holds. */
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

  receive(message) {
    const offset = Number(message.readBigUInt64BE(0));
    this.take(message.subarray(8));
    const end = offset + message.length - 8;
    if (end - this.#acked < ACK_BYTES) return;
    this.#acked = end;
    this.socket.send(JSON.stringify({ type: 'ack', offset: end }));
  }

  frame(frame) {
    if (frame.type === 'ping') this.socket.send('{"type":"pong"}');
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

/** Watches a worker of a console. */
export async function watchWorker(console, { sessionId, id }) {
  const url = `ws://127.0.0.1:${console.port}/ws/session/${sessionId}/worker/${id}`;
  const headers = { authorization: `Bearer ${console.token}` };
  const socket = new WebSocket(url, { headers, perMessageDeflate: false });
  const viewer = new OurViewer(socket, (frame) => frame.type === 'snapshot');
  await viewer.opened();
  return viewer;
}

/** Opens a terminal of `plain` and watches it. */
export async function openPlain(port) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/new`, { perMessageDeflate: false });
  const viewer = new PlainViewer(socket, (frame) => frame.id !== undefined);
  await viewer.opened();
  return viewer;
}

/** Opens a terminal in a console and watches it. */
export async function openOurs(console, session) {
  const worker = await console.api.call('POST', `/sessions/${session.id}/workers`, { type: 'terminal' });
  return { worker, viewer: await watchWorker(console, worker) };
}

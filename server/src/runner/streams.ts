import { ConsoleError } from '@agent-console/shared/errors';
import { STREAM_WINDOW_BYTES } from '@agent-console/shared/limits/streams';
import * as v from 'valibot';
import type { RunnerConnection } from './connect.ts';
import { Exit } from './messages.ts';
import type { OutputReader, OutputSubscription } from './port.ts';
import { decodeJson, FRAME, type Frame } from './protocol.ts';
import { replayStored } from './replay.ts';

/**
 * Number of processed bytes after which an acknowledgement is sent. The number is smaller than the window, so that the
 * runner can send more before the window is full.
 */
const ACK_BYTES = STREAM_WINDOW_BYTES / 8;

const ExitPayload = v.omit(Exit, ['offset']);

interface Stream {
  workerId: string;
  reader: OutputReader;
  /** Log offset up to which the server has acknowledged output to the runner. */
  acked: number;
}

/** The readers of a connection, by their subscription handles. */
export class Streams {
  readonly #streams = new Map<number, Stream>();
  readonly #home: string;
  #lastHandle = 0;

  constructor(home: string) {
    this.#home = home;
  }

  open(connection: RunnerConnection, workerId: string, fromOffset: number, reader: OutputReader): OutputSubscription {
    for (const [handle, stream] of this.#streams) if (stream.workerId === workerId) this.#streams.delete(handle);
    this.#lastHandle += 1;
    const handle = this.#lastHandle;
    const stream: Stream = { workerId, reader, acked: fromOffset };
    this.#streams.set(handle, stream);
    const isOpen = () => this.#streams.get(handle) === stream;
    this.#subscribe(connection, handle, stream, isOpen).catch((error: unknown) => {
      if (!isOpen()) return;
      this.#streams.delete(handle);
      reader.onFailed(error);
    });
    return {
      ack(offset) {
        if (offset - stream.acked < ACK_BYTES || !isOpen()) return;
        stream.acked = offset;
        connection.ack(handle, offset);
      },
      close: () => {
        if (!this.#streams.delete(handle)) return;
        // An error means that the connection is closed, so the runner has already removed the reader.
        connection.request(v.unknown(), { op: 'unsubscribe', handle }).catch(() => undefined);
      },
    };
  }

  async #subscribe(
    connection: RunnerConnection,
    handle: number,
    { workerId, acked: fromOffset, reader }: Stream,
    isOpen: () => boolean,
  ): Promise<void> {
    try {
      await connection.request(v.null(), { op: 'subscribe', workerId, handle, fromOffset });
    } catch (error) {
      if (!(error instanceof ConsoleError && error.code === 'NOT_FOUND')) throw error;
      await replayStored(this.#home, workerId, fromOffset, reader, isOpen);
    }
  }

  /** Handles a frame. Frames of a closed or replaced reader are ignored. */
  receive({ type, handle, offset, payload }: Frame): void {
    const stream = this.#streams.get(handle);
    if (stream === undefined) return;
    const { reader } = stream;
    if (type === FRAME.output) {
      reader.onData({ offset, data: payload });
    } else if (type === FRAME.resized) {
      reader.onResized({ offset, cols: payload.readUInt16BE(0), rows: payload.readUInt16BE(2) });
    } else if (type === FRAME.exit) {
      this.#streams.delete(handle);
      reader.onExit({ offset, ...v.parse(ExitPayload, decodeJson(payload)) });
    }
  }

  clear(): void {
    this.#streams.clear();
  }
}

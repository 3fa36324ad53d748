import { CLOSE } from '@agent-console/shared/close-codes';
import { ConsoleError } from '@agent-console/shared/errors';
import type { Worker } from '@agent-console/shared/models/worker';
import { isLive } from '@agent-console/shared/session-badge';
import { OUTPUT_HEADER_BYTES, type WorkerClientFrame, type WorkerServerFrame } from '@agent-console/shared/wire';
import { WebSocket } from 'ws';
import type { ConsoleAddress } from './find-console.ts';

export interface TerminalHandlers {
  /** Receives output. `end` is the offset after its last byte. */
  onOutput(data: Buffer, end: number): void;
  onFrame(frame: WorkerServerFrame): void;
}

export interface TerminalSocket {
  send(frame: WorkerClientFrame): void;
  close(): void;
  /**
   * Resolves when the connection ends or is interrupted. Rejects with a ConsoleError if the connection could not be
   * opened, or if the console closed it with an error code.
   */
  closed: Promise<void>;
}

/** Opens the terminal of a worker. Without `fromOffset`, the first frame is a snapshot of the screen. */
export function openTerminal(
  { baseUrl, token }: ConsoleAddress,
  { sessionId, workerId, fromOffset }: { sessionId: string; workerId: string; fromOffset?: number },
  { onOutput, onFrame }: TerminalHandlers,
): TerminalSocket {
  const query = fromOffset === undefined ? '' : `?fromOffset=${fromOffset}`;
  const url = `${baseUrl.replace(/^http/, 'ws')}/ws/session/${sessionId}/worker/${workerId}${query}`;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, { headers, followRedirects: false });
  let reported: ConsoleError | undefined;
  const closed = new Promise<void>((resolve, reject) => {
    socket.on('close', (code) => {
      const isRefused = code >= CLOSE.badFrame;
      if (isRefused || reported?.code === 'RUNNER_UNAVAILABLE') reject(reported ?? connectionLost(`code ${code}`));
      else resolve();
    });
    socket.on('error', (cause) => {
      reported = connectionLost(cause.message, cause);
    });
  });
  const send = (frame: WorkerClientFrame) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
  };
  socket.on('message', (message: Buffer, isBinary) => {
    if (isBinary) {
      const data = message.subarray(OUTPUT_HEADER_BYTES);
      const end = Number(message.readBigUInt64BE(0)) + data.length;
      onOutput(data, end);
      send({ type: 'ack', offset: end });
      return;
    }
    const frame = JSON.parse(message.toString('utf8')) as WorkerServerFrame;
    if (frame.type === 'ping') send({ type: 'pong' });
    if (frame.type === 'error') reported = ConsoleError.fromBody(frame) ?? reported;
    onFrame(frame);
  });
  return { send, close: () => socket.close(), closed };
}

function connectionLost(reason: string, cause?: unknown): ConsoleError {
  return new ConsoleError('RUNNER_UNAVAILABLE', `The connection to the terminal was lost: ${reason}.`, {}, { cause });
}

/**
 * Returns the worker to use as the terminal of a session: the newest live agent, otherwise the newest live terminal, or
 * undefined if none is live.
 */
export function liveTerminalOf(workers: readonly Worker[]): Worker | undefined {
  const liveWorkers = workers.filter(isLive);
  return liveWorkers.findLast(({ type }) => type === 'agent') ?? liveWorkers.at(-1);
}

import { MCP_STREAM_BYTES_MAX } from '@agent-console/shared/limits/mcp';
import type { Caller } from '../../domain/caller.ts';
import type { AccessMonitor } from '../http/access-monitor.ts';

export interface Streams {
  /**
   * Forwards an event stream with a limited buffer. Ends the stream when its caller is no longer identified, for
   * example because a token was revoked or a worker ended. Other responses are returned unchanged.
   */
  forward(response: Response, caller: Caller, recheck: () => Promise<Caller>): Response;
  close(): void;
}

export function createStreams(accessMonitor: AccessMonitor): Streams {
  /** Functions that end the open streams. */
  const open = new Set<() => void>();

  return {
    forward(response, caller, recheck) {
      const { body, headers, status } = response;
      if (body === null || headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
      let unwatch = () => {};
      const { stream, end } = boundedStream(body, () => {
        unwatch();
        open.delete(end);
      });
      open.add(end);
      unwatch = accessMonitor.watch({ caller, recheck, end });
      return new Response(stream, { status, headers });
    },
    close() {
      accessMonitor.close();
      for (const end of [...open]) end();
    },
  };
}

/**
 * Copies a stream. To limit the memory for a slow reader, the copy ends when more than MCP_STREAM_BYTES_MAX bytes wait
 * to be read.
 */
function boundedStream(source: ReadableStream<Uint8Array>, onEnd: () => void) {
  const reader = source.getReader();
  let sink: ReadableStreamDefaultController<Uint8Array> | undefined;
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    onEnd();
    // Cancels the source stream, so that its memory is released.
    reader.cancel().catch(() => {});
    sink?.close();
  };
  const copy = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || ended) return end();
      sink?.enqueue(value);
      if ((sink?.desiredSize ?? 0) < 0) return end();
    }
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        sink = controller;
        copy().catch(end);
      },
      cancel() {
        sink = undefined;
        end();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MCP_STREAM_BYTES_MAX }),
  );
  return { stream, end };
}

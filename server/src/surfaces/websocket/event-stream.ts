import { ConsoleError } from '@agent-console/shared/errors';
import { EVENT_STREAM_RETRY_MS, HEARTBEAT_MS, LIVE_CONNECTIONS_MAX } from '@agent-console/shared/limits/connections';
import { AfterQuery } from '@agent-console/shared/wire';
import type { Hono } from 'hono';
import type { Call } from '../../domain/call.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Gate } from '../../operations/operation.ts';
import type { EventHub } from '../../ports/events.ts';
import { createAccessMonitor } from '../http/access-monitor.ts';
import { evidenceOf, type HttpContext, type HttpEnv, type Identify } from '../http/context.ts';
import { errorResponse } from '../http/respond.ts';
import { followOrchestration } from './orchestration-events.ts';
import { check } from './routes.ts';

export interface EventStreamParts {
  gate: Gate;
  events: EventHub;
  identify: Identify;
  /** Milliseconds between SSE comments that keep the connection alive, and between checks of the caller's access. */
  heartbeatMs?: number;
  /** Called with the error if the caller of an open stream cannot be identified again. */
  onError?: (error: unknown) => void;
}

/** Content of one stream: its first lines, then messages until the source ends or the signal aborts. */
interface StreamSource {
  opening: string;
  follow(signal: AbortSignal): AsyncIterable<string>;
}

/** Opens a stream for a caller. @throws the error that the caller gets instead of a stream. */
type OpenStream = (context: HttpContext, caller: Caller, after: number | undefined) => Promise<StreamSource>;

/**
 * Serves events as server-sent events: unnamed messages whose `id` is the sequence number and whose data is the event.
 * `Last-Event-ID` takes precedence over `?after=`. A stream begins with a `retry` line and an `id` line that contains
 * its cursor, so that a client can resume there even if it has not received an event.
 *
 * - `GET /api/events/stream` sends every event after the cursor. Without a cursor, it sends only new events. If events
 *   after the cursor are no longer stored, or the cursor is beyond the last event, the first message is named `gap` and
 *   contains `{after, firstSeq}`.
 * - `GET /api/orchestrations/:orchestrationId/events/stream` sends the events of one orchestration after the cursor.
 *   Without a cursor, it sends all of them. It ends after the last event.
 *
 * @returns `close`, which ends all streams. A planned stop of the server calls it first.
 */
export function mountEventStream(app: Hono<HttpEnv>, parts: EventStreamParts): { close(): void } {
  const { gate, events } = parts;
  const open = new Set<AbortController>();
  const accessMonitor = createAccessMonitor(parts.events, parts.onError ?? (() => {}), parts.heartbeatMs);

  async function start(context: HttpContext, openStream: OpenStream): Promise<Response> {
    const { incoming } = context.env;
    const caller = await parts.identify(evidenceOf(incoming));
    const query = check(AfterQuery, context.req.query());
    const lastEventId = context.req.header('last-event-id');
    const after = lastEventId === undefined ? query.after : check(AfterQuery, { after: lastEventId }).after;
    const { signal } = context.req.raw;
    const source = await openStream(context, caller, after);
    if (open.size >= LIVE_CONNECTIONS_MAX) {
      throw new ConsoleError('LIMIT_EXCEEDED', `${LIVE_CONNECTIONS_MAX} streams are open. Close some and try again.`);
    }
    const ended = new AbortController();
    open.add(ended);
    const recheck = () => parts.identify(evidenceOf(incoming));
    const unwatch = accessMonitor.watch({ caller, recheck, end: () => ended.abort() });
    ended.signal.addEventListener('abort', () => {
      unwatch();
      open.delete(ended);
    });
    if (signal.aborted) ended.abort();
    signal.addEventListener('abort', () => ended.abort());
    return new Response(messageStream(source, parts.heartbeatMs ?? HEARTBEAT_MS, ended), {
      headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' },
    });
  }

  const mount = (path: string, openStream: OpenStream) =>
    app.get(path, async (context) => {
      try {
        return await start(context, openStream);
      } catch (error) {
        return errorResponse(error, context.get('requestId'));
      }
    });

  mount('/api/events/stream', async (context, caller, after) => {
    const lastSeq = events.lastSeq();
    // A cursor beyond the last event comes from another state of the database, for example from before a backup was
    // restored. A stream from there would be silent until the sequence numbers reach this cursor.
    const isAhead = after !== undefined && after > lastSeq;
    const cursor = isAhead ? lastSeq : (after ?? lastSeq);
    const { signal } = context.req.raw;
    // The result is not used: the call only checks whether the caller may list events.
    await gate.run('events.list', { after: cursor, limit: 1 }, { caller, surface: 'rest', signal });
    const firstSeq = isAhead ? cursor + 1 : await events.firstSeq();
    return {
      opening: openingOf(cursor) + (isAhead || cursor + 1 < firstSeq ? gapMessage(after ?? cursor, firstSeq) : ''),
      async *follow(ended) {
        for await (const event of events.follow(cursor, ended, caller)) yield eventMessage(event.seq, event);
      },
    };
  });
  mount('/api/orchestrations/:orchestrationId/events/stream', async (context, caller, after = 0) => {
    const call: Call = { caller, surface: 'rest', signal: context.req.raw.signal };
    const { id } = await gate.run(
      'orchestrations.get',
      { orchestrationId: context.req.param('orchestrationId') },
      call,
    );
    return {
      opening: openingOf(after),
      async *follow(ended) {
        for await (const event of followOrchestration(parts, id, after, { ...call, signal: ended })) {
          yield eventMessage(event.id, event);
        }
      },
    };
  });

  return {
    close() {
      accessMonitor.close();
      for (const ended of [...open]) ended.abort();
    },
  };
}

/**
 * Creates a stream that produces messages as fast as the reader reads. A slow reader gets later events from storage, so
 * no events accumulate in memory.
 */
function messageStream(
  { opening, follow }: StreamSource,
  heartbeatMs: number,
  ended: AbortController,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = follow(ended.signal)[Symbol.asyncIterator]();
  let heartbeat: NodeJS.Timeout | undefined;

  function finish(): void {
    clearInterval(heartbeat);
    ended.abort();
  }

  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(opening));
      heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': alive\n\n'));
      }, heartbeatMs);
      heartbeat.unref();
      ended.signal.addEventListener('abort', () => clearInterval(heartbeat));
    },
    async pull(controller) {
      try {
        const next = await iterator.next();
        if (next.done !== true) {
          controller.enqueue(encoder.encode(next.value));
          return;
        }
        finish();
        controller.close();
      } catch (error) {
        finish();
        controller.error(error);
      }
    },
    cancel: finish,
  });
}

/**
 * Returns the first lines of a stream. They contain no data, so clients receive no message, but use the `id` as their
 * cursor.
 */
function openingOf(cursor: number): string {
  return `retry: ${EVENT_STREAM_RETRY_MS}\nid: ${cursor}\n\n`;
}

function eventMessage(id: number, event: unknown): string {
  return `id: ${id}\ndata: ${JSON.stringify(event)}\n\n`;
}

function gapMessage(after: number, firstSeq: number): string {
  return `event: gap\ndata: ${JSON.stringify({ after, firstSeq })}\n\n`;
}

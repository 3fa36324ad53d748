import { ConsoleError } from '@agent-console/shared/errors';
import { EVENT_STREAM_RETRY_MS, HEARTBEAT_MS, LIVE_CONNECTIONS_MAX } from '@agent-console/shared/limits/connections';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { AfterQuery } from '@agent-console/shared/wire';
import type { Hono } from 'hono';
import type { Caller } from '../../domain/caller.ts';
import type { Gate } from '../../operations/operation.ts';
import type { EventHub } from '../../ports/events.ts';
import { evidenceOf, type HttpContext, type HttpEnv, type Identify } from '../http/context.ts';
import { errorResponse } from '../http/respond.ts';
import { createSentry } from '../http/sentry.ts';
import { check } from './routes.ts';

export interface EventStreamParts {
  gate: Gate;
  events: EventHub;
  identify: Identify;
  /** Milliseconds between comments that keep the connection alive. */
  heartbeatMs?: number;
  /** Receives the error when the caller of a stream cannot be identified again. */
  onError?: (error: unknown) => void;
}

/**
 * Serves `GET /api/events/stream?after=` as server-sent events: unnamed messages whose `id` is the sequence number and
 * whose data is the event. `Last-Event-ID` takes precedence over `after`; with neither, only new events are sent. The
 * stream begins with its cursor as `id` and with `retry`, so that a client can resume exactly even before its first
 * event. If events after the cursor are no longer stored, a message named `gap` with `{after, firstSeq}` follows.
 *
 * @returns `close`, which ends all streams and which a planned stop calls first.
 */
export function mountEventStream(app: Hono<HttpEnv>, parts: EventStreamParts): { close(): void } {
  const open = new Set<AbortController>();
  const sentry = createSentry(parts.events, parts.onError ?? (() => {}), parts.heartbeatMs);

  async function start(context: HttpContext): Promise<Response> {
    const { gate, events } = parts;
    const { incoming } = context.env;
    const caller = await parts.identify(evidenceOf(incoming));
    const query = check(AfterQuery, context.req.query());
    const lastEventId = context.req.header('last-event-id');
    const after = lastEventId === undefined ? query.after : check(AfterQuery, { after: lastEventId }).after;
    const cursor = after ?? events.lastSeq();
    const { signal } = context.req.raw;
    // The result is not used: this call makes the gate check whether the caller may list events.
    await gate.run('events.list', { after: cursor, limit: 1 }, { caller, surface: 'rest', signal });
    if (open.size >= LIVE_CONNECTIONS_MAX) {
      throw new ConsoleError('LIMIT_EXCEEDED', `${LIVE_CONNECTIONS_MAX} streams are open. Close some and try again.`);
    }
    const firstSeq = await events.firstSeq();
    const ended = new AbortController();
    open.add(ended);
    const recheck = () => parts.identify(evidenceOf(incoming));
    const leave = sentry.watch({ caller, recheck, end: () => ended.abort() });
    ended.signal.addEventListener('abort', () => {
      leave();
      open.delete(ended);
    });
    if (signal.aborted) ended.abort();
    signal.addEventListener('abort', () => ended.abort());
    const opening = openingOf(cursor) + (cursor + 1 < firstSeq ? gapMessage(cursor, firstSeq) : '');
    return new Response(messageStream(opening, parts, { cursor, caller }, ended), {
      headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' },
    });
  }

  app.get('/api/events/stream', async (context) => {
    try {
      return await start(context);
    } catch (error) {
      return errorResponse(error, context.get('requestId'));
    }
  });

  return {
    close() {
      sentry.close();
      for (const ended of [...open]) ended.abort();
    },
  };
}

/**
 * Creates a stream of messages that is produced as fast as the reader reads. A slow reader later gets its events from
 * storage, so no events accumulate for it.
 */
function messageStream(
  opening: string,
  { events, heartbeatMs = HEARTBEAT_MS }: Pick<EventStreamParts, 'events' | 'heartbeatMs'>,
  { cursor, caller }: { cursor: number; caller: Caller },
  ended: AbortController,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = events.follow(cursor, ended.signal, caller)[Symbol.asyncIterator]();
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
          controller.enqueue(encoder.encode(eventMessage(next.value)));
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

function eventMessage(event: ConsoleEvent): string {
  return `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
}

function gapMessage(after: number, firstSeq: number): string {
  return `event: gap\ndata: ${JSON.stringify({ after, firstSeq })}\n\n`;
}

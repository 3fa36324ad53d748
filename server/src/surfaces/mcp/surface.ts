import { ConsoleError, ERRORS } from '@agent-console/shared/errors';
import { BODY_MAX_BYTES } from '@agent-console/shared/limits/calls';
import { MCP_SUBSCRIPTIONS_MAX } from '@agent-console/shared/limits/mcp';
import { TOOLSETS } from '@agent-console/shared/operation';
import { createMcpHandler, type EventStore, isLegacyRequest, type ServerEvent } from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/caller.ts';
import { nearest } from '../../domain/nearest.ts';
import type { EventHub } from '../../ports/events.ts';
import { createAccessMonitor } from '../http/access-monitor.ts';
import { parseJson, readBodyOf } from '../http/body.ts';
import { evidenceOf, type HttpContext, type Identify } from '../http/context.ts';
import { jsonResponse } from '../http/respond.ts';
import { exchangeOf, type McpExchange, packExchange } from './exchange.ts';
import { createLegacySessions } from './legacy.ts';
import { createListeners } from './listening.ts';
import { rpcError } from './rpc.ts';
import type { BuildServer } from './server.ts';
import type { McpSessionStore } from './session-store.ts';
import { createSseConnections } from './sse.ts';
import { createStreams } from './streams.ts';
import { BY_DEFAULT } from './tools.ts';
import type { Watch } from './watching.ts';

export interface McpSurfaceOptions {
  /**
   * Creates the MCP server that answers a request or serves a session, with the console's tools or with those of the
   * conformance test.
   */
  build: BuildServer;
  identify: Identify;
  /**
   * Events of the console. After some of them, such as the revocation of a token, the callers of open streams are
   * identified again.
   */
  events: Pick<EventHub, 'onEvents'>;
  store: McpSessionStore;
  /** Called with the caller of each request before the request is answered. */
  onCaller?: (caller: Caller) => void;
  /** Subscribes a caller to changes of a resource. Used for clients of every protocol revision. */
  watch: Watch;
  /**
   * Storage from which clients of the 2025 revisions can resume the stream of a call. Set only by the conformance test.
   */
  callStreams?: EventStore;
  /** Receives errors that are not reported to a caller, for example a failed write to the store. */
  onError: (error: unknown) => void;
}

export interface McpSurface {
  /** Answers a request to `/mcp`. */
  serve(c: HttpContext): Promise<Response>;
  /** Answers a request to `/sse`, the path of the older HTTP+SSE transport. */
  serveSse(c: HttpContext): Promise<Response>;
  /**
   * Notifies every `subscriptions/listen` stream that the list of tools, prompts or resources has changed. Used only by
   * the conformance test, because the console's lists do not change.
   */
  publish(event: ServerEvent): void;
  /** Ends streams, because they do not end by themselves and a planned stop must not wait for them. */
  endStreams(): void;
  /** Closes streams and sessions. The stored sessions remain, so that the next server can restore them. */
  close(): Promise<void>;
}

/**
 * Serves MCP at `/mcp`: revision 2026-07-28 without sessions, the 2025 revisions with sessions. Every request
 * identifies its caller.
 */
export function createMcpSurface(options: McpSurfaceOptions): McpSurface {
  const { build, identify, watch, onCaller, onError } = options;
  const legacy = createLegacySessions(options);
  const listeners = createListeners(watch, onError);
  const streams = createStreams(createAccessMonitor(options.events, onError));
  const sse = createSseConnections(options);
  const modern = createMcpHandler((context) => build(exchangeOf({ http: context })), {
    legacy: 'reject',
    responseMode: 'auto',
    bus: listeners.bus,
    maxSubscriptions: MCP_SUBSCRIPTIONS_MAX,
    maxRequestBodySize: BODY_MAX_BYTES,
    onerror: onError,
  });

  /**
   * Reads a request, identifies its sender and answers it. If the response is a stream, it ends when the caller loses
   * access.
   */
  async function exchange(
    c: HttpContext,
    answer: (request: Request, body: unknown, exchange: McpExchange) => Promise<Response>,
  ): Promise<Response> {
    const { incoming, outgoing } = c.env;
    const request = c.req.raw;
    try {
      const toolsets = toolsetsOf(c.req.query('toolsets'));
      const caller = await identify(evidenceOf(incoming));
      const text = request.method === 'POST' ? await readBodyOf(caller, incoming) : undefined;
      let body: unknown;
      try {
        body = text === undefined ? undefined : parseJson(text);
      } catch (error) {
        if (error instanceof ConsoleError) return rpcError(400, -32700, error.message, error.toBody());
        throw error;
      }
      if (request.method === 'POST' && (typeof body !== 'object' || body === null || Array.isArray(body))) {
        return rpcError(400, -32600, 'Invalid Request: send one JSON-RPC message in each request, as an object.');
      }
      if (caller.kind === 'nobody' && incoming.headers.authorization !== undefined)
        return unauthenticated(caller.reason);
      onCaller?.(caller);
      const requestId = c.get('requestId');
      const { signal } = request;
      const response = await answer(request, body, { caller, toolsets, requestId, incoming, outgoing, signal });
      return streams.forward(response, caller, () => identify(evidenceOf(incoming)));
    } catch (error) {
      return failed(error, onError);
    }
  }

  async function answerModern(request: Request, body: unknown, exchange: McpExchange): Promise<Response> {
    if (exchange.caller.kind === 'nobody' && listeners.opens(body)) return noStream(body, exchange.caller.reason);
    const forward = (parsedBody: unknown) => modern.fetch(request, { authInfo: packExchange(exchange), parsedBody });
    return listeners.opens(body) ? listeners.answer(body, exchange.caller, forward) : forward(body);
  }

  return {
    serve: (c) =>
      exchange(c, async (request, body, of) => {
        if (!(await isLegacyRequest(request, body))) return answerModern(request, body, of);
        return of.caller.kind === 'nobody' ? legacy.handleOnce(request, body, of) : legacy.handle(request, body, of);
      }),
    serveSse: (c) =>
      exchange(c, async (request, body, of) =>
        of.caller.kind === 'nobody' ? unauthenticated(of.caller.reason) : sse(request, body, of),
      ),
    publish: listeners.bus.publish,
    endStreams: streams.close,
    async close() {
      streams.close();
      await Promise.all([modern.close(), legacy.close()]);
    },
  };
}

/**
 * Returns an HTTP error instead of an MCP error to a caller who was not identified. The response has no
 * `WWW-Authenticate` header, because clients would answer it with an OAuth flow, which this server does not support.
 */
function unauthenticated(reason: string): Response {
  return jsonResponse(new ConsoleError('UNAUTHENTICATED', reason).toBody(), ERRORS.UNAUTHENTICATED.http);
}

/**
 * Returns the error for an unidentified caller who wants to open a stream. Such callers must not keep connections open.
 */
function noStream(body: unknown, reason: string): Response {
  const error = new ConsoleError('UNAUTHENTICATED', reason);
  const { id } = body as { id?: string | number };
  return rpcError(200, -32000, `${error.code}: ${error.message}`, error.toBody(), id);
}

function toolsetsOf(asked: string | undefined): ReadonlySet<string> {
  if (asked === undefined || asked === '') return new Set([BY_DEFAULT]);
  const known: readonly string[] = [BY_DEFAULT, ...TOOLSETS, 'all'];
  const words = asked.split(',').map((word) => word.trim());
  const wrong = words.find((word) => !known.includes(word));
  if (wrong !== undefined) {
    throw new ConsoleError('VALIDATION', `toolsets: "${wrong}" must be one of ${known.join(', ')}.`, {
      nearest: nearest(wrong, known),
    });
  }
  return new Set(words);
}

/**
 * Returns the response to a failure outside the SDK's MCP server: an oversized body, an invalid tool set, a busy
 * database or a bug.
 */
function failed(error: unknown, onError: (error: unknown) => void): Response {
  if (!(error instanceof ConsoleError)) {
    onError(error);
    return rpcError(500, -32603, 'Internal error. The log of the server has details.');
  }
  const { http } = ERRORS[error.code];
  // The status 400 replaces 404, because clients interpret 404 as the loss of their MCP session.
  const response = rpcError(http === 404 ? 400 : http, -32000, error.message, error.toBody());
  // A body that is too large, for example for an unidentified caller, is not read to its end. So the connection cannot
  // be reused.
  if (error.code === 'TOO_LARGE' || error.code === 'UNAUTHENTICATED') response.headers.set('Connection', 'close');
  return response;
}

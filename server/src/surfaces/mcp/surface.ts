import { ConsoleError, ERRORS } from '@agent-console/shared/errors';
import { BODY_MAX_BYTES, MCP_SUBSCRIPTIONS_MAX } from '@agent-console/shared/limits';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/caller.ts';
import { parseJson, readBody } from '../http/body.ts';
import { evidenceOf, type HttpContext, type Identify } from '../http/context.ts';
import { nearest } from '../nearest.ts';
import { exchangeOf, type McpExchange, packExchange } from './exchange.ts';
import { createLegacySessions } from './legacy.ts';
import { rpcError } from './rpc.ts';
import type { BuildServer } from './server.ts';
import type { McpSessionStore } from './session-store.ts';
import { DEFAULT_TOOLSETS, TOOLSETS } from './tools.ts';

export interface McpSurfaceOptions {
  /** Makes the server of a request or session: the product's tools, or the fixtures of a conformance test. */
  build: BuildServer;
  identify: Identify;
  store: McpSessionStore;
  /** Told who makes a request, before it is answered. */
  onCaller?: (caller: Caller) => void;
  /** Errors that no caller sees. */
  onError: (error: unknown) => void;
}

export interface McpSurface {
  /** Answers one request for `/mcp`. */
  serve(c: HttpContext): Promise<Response>;
  /** Closes streams and sessions; rows stay. */
  close(): Promise<void>;
}

/** Both eras of the protocol at `/mcp`: 2026-07-28 without sessions, 2025 with them. Who calls is found on every request. */
export function createMcpSurface({ build, identify, store, onCaller, onError }: McpSurfaceOptions): McpSurface {
  const legacy = createLegacySessions({ build, store, onError });
  const modern = createMcpHandler((context) => build(exchangeOf({ http: context })), {
    legacy: 'reject',
    responseMode: 'auto',
    maxSubscriptions: MCP_SUBSCRIPTIONS_MAX,
    maxRequestBodySize: BODY_MAX_BYTES,
    onerror: onError,
  });

  async function serve(c: HttpContext): Promise<Response> {
    const { incoming, outgoing } = c.env;
    const request = c.req.raw;
    try {
      const toolsets = toolsetsOf(c.req.query('toolsets'));
      const text = request.method === 'POST' ? await readBody(incoming) : undefined;
      const parsed = text === undefined ? { ok: true as const, value: undefined } : tryParse(text);
      if (!parsed.ok) return rpcError(400, -32700, parsed.error.message, parsed.error.toBody());
      const body = parsed.value;
      const caller = await identify(evidenceOf(incoming));
      onCaller?.(caller);
      const exchange: McpExchange = {
        caller,
        toolsets,
        requestId: c.get('requestId'),
        incoming,
        outgoing,
        signal: request.signal,
      };
      if (await isLegacyRequest(request, body)) return await legacy.handle(request, body, exchange);
      return await modern.fetch(request, { authInfo: packExchange(exchange), parsedBody: body });
    } catch (error) {
      return failed(error, onError);
    }
  }

  return {
    serve,
    async close() {
      await Promise.all([modern.close(), legacy.close()]);
    },
  };
}

function toolsetsOf(asked: string | undefined): ReadonlySet<string> {
  if (asked === undefined || asked === '') return new Set(DEFAULT_TOOLSETS);
  const known: readonly string[] = [...TOOLSETS, 'all'];
  const words = asked.split(',').map((word) => word.trim());
  const wrong = words.find((word) => !known.includes(word));
  if (wrong !== undefined) {
    throw new ConsoleError('VALIDATION', `toolsets: "${wrong}" is none of ${known.join(', ')}.`, {
      nearest: nearest(wrong, known),
    });
  }
  return new Set(words);
}

function tryParse(text: string): { ok: true; value: unknown } | { ok: false; error: ConsoleError } {
  try {
    return { ok: true, value: parseJson(text) };
  } catch (error) {
    if (error instanceof ConsoleError) return { ok: false, error };
    throw error;
  }
}

/** What fails before the protocol begins: an oversized body, a wrong tool set, a store that is busy, a bug. */
function failed(error: unknown, onError: (error: unknown) => void): Response {
  if (!(error instanceof ConsoleError)) {
    onError(error);
    return rpcError(500, -32603, 'Something went wrong inside the console; its log says more.');
  }
  const { http } = ERRORS[error.code];
  // 404 would tell the client that its session is gone.
  const response = rpcError(http === 404 ? 400 : http, -32000, error.message, error.toBody());
  if (error.code === 'TOO_LARGE') response.headers.set('Connection', 'close');
  return response;
}

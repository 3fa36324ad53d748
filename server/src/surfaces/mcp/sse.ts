import { randomUUID } from 'node:crypto';
import { ConsoleError } from '@agent-console/shared/errors';
import { HEARTBEAT_MS } from '@agent-console/shared/limits/connections';
import { MCP_SSE_CONNECTIONS_MAX } from '@agent-console/shared/limits/mcp';
import { type JSONRPCMessage, McpServer, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { actorOf, type Caller } from '../../domain/caller.ts';
import { isJson } from '../http/body.ts';
import { withEarlierCodes } from './errors.ts';
import { type McpExchange, packExchange } from './exchange.ts';
import { rpcError } from './rpc.ts';
import type { BuildServer } from './server.ts';
import { createWatchList, updateOf, type Watch, type WatchList } from './watching.ts';

interface Connection {
  transport: SseTransport;
  caller: Caller;
  toolsets: ReadonlySet<string>;
  watched: WatchList;
  /** Aborts when the stream ends. Open calls then stop waiting for results, which no client could receive. */
  ended: AbortController;
}

export interface SseOptions {
  build: BuildServer;
  watch: Watch;
  onError: (error: unknown) => void;
}

/**
 * Creates the handler of the HTTP+SSE transport for clients of the 2024 revision. A GET opens the stream, which first
 * sends the URL for POSTs and then every response. Each POST identifies its sender, who must be the caller who opened
 * the stream. `body` is the parsed JSON of a POST.
 */
export function createSseConnections({ build, watch, onError }: SseOptions) {
  const open = new Map<string, Connection>();

  async function connect(exchange: McpExchange): Promise<Response> {
    if (open.size >= MCP_SSE_CONNECTIONS_MAX) {
      throw new ConsoleError(
        'LIMIT_EXCEEDED',
        `${MCP_SSE_CONNECTIONS_MAX} connections to /sse are open. Close some, or use /mcp.`,
      );
    }
    const id = randomUUID();
    const transport = new SseTransport();
    const product = build(exchange);
    const server = product instanceof McpServer ? product.server : product;
    const watched = createWatchList(watch, (uri, changes) => {
      server.sendResourceUpdated(updateOf(uri, changes)).catch(onError);
    });
    const ended = new AbortController();
    transport.onEnd = () => {
      open.delete(id);
      watched.close();
      ended.abort();
      product.close().catch(onError);
    };
    await product.connect(transport);
    open.set(id, { transport, caller: exchange.caller, toolsets: exchange.toolsets, watched, ended });
    transport.write('endpoint', `/sse?session=${id}`);
    return new Response(transport.stream, {
      headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' },
    });
  }

  function post(id: string, body: unknown, exchange: McpExchange): Response {
    const connection = open.get(id);
    if (connection === undefined) return rpcError(404, -32001, 'Session not found: open the stream again.');
    const { transport, caller, toolsets, watched, ended } = connection;
    if (caller.kind !== exchange.caller.kind || actorOf(caller) !== actorOf(exchange.caller)) {
      return rpcError(403, -32000, 'This stream belongs to another caller. Open your own stream.');
    }
    if (!isJson(exchange.incoming)) return rpcError(415, -32000, 'Content-Type must be application/json.');
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(body);
    } catch {
      return rpcError(400, -32600, 'Invalid Request: this is not a JSON-RPC message.');
    }
    const authInfo = packExchange({ ...exchange, toolsets, watched, signal: ended.signal, answersElsewhere: true });
    transport.onmessage?.(message, { authInfo });
    return new Response('Accepted', { status: 202, headers: { 'Content-Type': 'text/plain' } });
  }

  return async (request: Request, body: unknown, exchange: McpExchange): Promise<Response> => {
    if (request.method === 'GET') return connect(exchange);
    if (request.method === 'POST') {
      return post(new URL(request.url).searchParams.get('session') ?? '', body, exchange);
    }
    const response = rpcError(405, -32000, 'Method not allowed: GET opens a stream, POST sends to it.');
    response.headers.set('Allow', 'GET, POST');
    return response;
  };
}

/** Sends each message of the MCP server as a server-sent event. */
class SseTransport implements Transport {
  onclose?: () => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  onEnd: () => void = () => {};
  readonly stream: ReadableStream<Uint8Array>;
  #sink: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #heartbeat: NodeJS.Timeout;

  constructor() {
    this.stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#sink = controller;
      },
      cancel: () => {
        this.#sink = undefined;
        this.#end();
      },
    });
    this.#heartbeat = setInterval(() => this.#enqueue(': alive\n\n'), HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.write('message', JSON.stringify(withEarlierCodes(message)));
  }

  write(event: string, data: string): void {
    this.#enqueue(`event: ${event}\ndata: ${data}\n\n`);
  }

  async close(): Promise<void> {
    this.#sink?.close();
    this.#sink = undefined;
    this.#end();
    this.onclose?.();
  }

  #enqueue(text: string): void {
    this.#sink?.enqueue(new TextEncoder().encode(text));
  }

  #end(): void {
    clearInterval(this.#heartbeat);
    const { onEnd } = this;
    this.onEnd = () => {};
    onEnd();
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/caller.ts';
import type { WatchList } from './watching.ts';

/** An HTTP request to `/mcp` or `/sse`, with the data that its tool call needs. Every request identifies its caller. */
export interface McpExchange {
  caller: Caller;
  /** Tool sets from the parameter `toolsets` of the URL. */
  toolsets: ReadonlySet<string>;
  requestId: string;
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  /** Aborts when the connection of the request closes. */
  signal: AbortSignal;
  /**
   * Open calls of a session (2025 revisions) by JSON-RPC id, so that a cancellation can end the wait for their results.
   */
  open?: Map<string | number, AbortController>;
  /** Resources that an MCP session (2025 revisions) or an SSE connection watches. */
  watched?: WatchList;
  /** Set if the response is sent over the stream of another request, so that its delivery cannot be tracked. */
  answersElsewhere?: true;
}

/**
 * Puts an exchange into the SDK's `AuthInfo`, which the SDK passes to handlers unchanged. The fields for secrets stay
 * empty.
 */
export function packExchange(exchange: McpExchange): AuthInfo {
  return { token: '', clientId: '', scopes: [], extra: { exchange } };
}

/** Returns the exchange of the request that a handler is answering. */
export function exchangeOf(context: ServerContext | { http?: { authInfo?: AuthInfo } }): McpExchange {
  const exchange = (context.http as { authInfo?: AuthInfo } | undefined)?.authInfo?.extra?.exchange;
  if (exchange === undefined) throw new Error('an MCP handler ran outside an MCP request');
  return exchange as McpExchange;
}

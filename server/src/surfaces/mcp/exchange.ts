import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/caller.ts';
import type { WatchList } from './watching.ts';

/** One HTTP request on `/mcp`, as its tool call needs it: who sent it is found anew for every request. */
export interface McpExchange {
  caller: Caller;
  /** Tool sets asked for in the URL. */
  toolsets: ReadonlySet<string>;
  requestId: string;
  incoming: IncomingMessage;
  outgoing: ServerResponse;
  /** Aborts when the request's connection closes. */
  signal: AbortSignal;
  /** Calls of a 2025-era session that are open, by JSON-RPC id, so that a cancellation can end their waiting. */
  open?: Map<string | number, AbortController>;
  /** What a 2025-era session or connection watches. */
  watched?: WatchList;
  /** The answer leaves with another response, so that nothing is known of its delivery. */
  answersElsewhere?: true;
}

/** Packs an exchange for the SDK, which hands it to handlers untouched. It carries no secret. */
export function packExchange(exchange: McpExchange): AuthInfo {
  return { token: '', clientId: '', scopes: [], extra: { exchange } };
}

/** The exchange of the request that a handler is answering. */
export function exchangeOf(context: ServerContext | { http?: { authInfo?: AuthInfo } }): McpExchange {
  const exchange = (context.http as { authInfo?: AuthInfo } | undefined)?.authInfo?.extra?.exchange;
  if (exchange === undefined) throw new Error('an MCP handler ran outside an exchange');
  return exchange as McpExchange;
}

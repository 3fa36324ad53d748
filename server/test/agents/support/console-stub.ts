import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';

interface RecordedCall {
  name: string;
  args: Record<string, unknown>;
}

export interface ConsoleStub {
  url: string;
  calls: RecordedCall[];
  /** The distinct `Authorization` headers of all requests so far. */
  tokens: Set<string>;
  /**
   * Sets the response to the next tool call: `drop` closes all connections instead of responding, and `error` is
   * returned as an error. The call is always recorded.
   */
  next(behaviour: 'drop' | { error: string }): void;
  /** Stops listening: connections are refused until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/**
 * Starts a real MCP server that supports the 2025 and the 2026 versions of the protocol. Its tools resemble those of
 * the console, but only record calls.
 */
export async function startConsoleStub(): Promise<ConsoleStub> {
  const calls: RecordedCall[] = [];
  const tokens = new Set<string>();
  const behaviours: ('drop' | { error: string })[] = [];
  let server: Server | null = null;
  let port = 0;

  const answer = (name: string, args: Record<string, unknown>) => {
    calls.push({ name, args });
    const behaviour = behaviours.shift();
    if (behaviour === 'drop') server?.closeAllConnections();
    if (behaviour && behaviour !== 'drop')
      return { isError: true, content: [{ type: 'text' as const, text: behaviour.error }] };
    return { content: [{ type: 'text' as const, text: JSON.stringify({ name, call: calls.length }) }] };
  };

  const handler = createMcpHandler(() => {
    const mcp = new McpServer({ name: 'stub', version: '1.0.0' });
    const tool = (name: string, fields: v.ObjectEntries, annotations: { readOnlyHint?: boolean }) =>
      mcp.registerTool(
        name,
        { description: name, inputSchema: toStandardJsonSchema(v.strictObject(fields)), annotations },
        (args) => answer(name, args as Record<string, unknown>),
      );
    tool('delegate_to_worktree', { prompt: v.string(), idempotencyKey: v.optional(v.string()) }, {});
    tool(
      'report_result',
      { outcome: v.picklist(['succeeded', 'failed']), summary: v.string(), idempotencyKey: v.optional(v.string()) },
      {},
    );
    tool('list_sessions', {}, { readOnlyHint: true });
    tool('write_once', {}, {});
    return mcp;
  });

  const stub: ConsoleStub = {
    url: '',
    calls,
    tokens,
    next: (behaviour) => void behaviours.push(behaviour),
    async stop() {
      const stopping = server;
      server = null;
      await new Promise((resolve) => {
        stopping?.close(resolve);
        stopping?.closeAllConnections();
      });
    },
    async start() {
      const listener = getRequestListener((request) => {
        const token = request.headers.get('authorization');
        if (token) tokens.add(token);
        return handler.fetch(request);
      });
      const starting = createServer(listener);
      await new Promise<void>((resolve, reject) => {
        starting.once('error', reject).listen(port, '127.0.0.1', resolve);
      });
      port = (starting.address() as AddressInfo).port;
      server = starting;
      stub.url = `http://127.0.0.1:${port}/mcp`;
    },
  };
  await stub.start();
  return stub;
}

import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export interface ToolResult {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: unknown;
}

interface ListedTool {
  name: string;
  inputSchema: { properties?: Record<string, { description?: string }> };
  annotations?: Record<string, unknown>;
}

/** The part of both clients that a test needs. */
export interface McpClient {
  era: string;
  listTools(): Promise<{ tools: ListedTool[] }>;
  callTool(name: string, args?: Record<string, unknown>): Promise<ToolResult>;
  instructions(): string | undefined;
  close(): Promise<void>;
}

const headersOf = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/** A client of the 2026-07-28 era, which finds the era out by itself. */
async function connectModern(url: string, token?: string): Promise<McpClient> {
  const client = new ModernClient({ name: 'modern', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new ModernTransport(new URL(url), { requestInit: { headers: headersOf(token) } }));
  return {
    era: String(client.getProtocolEra()),
    listTools: () => client.listTools() as Promise<unknown> as Promise<{ tools: ListedTool[] }>,
    callTool: (name, args = {}) =>
      client.callTool({ name, arguments: args }) as Promise<unknown> as Promise<ToolResult>,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

/** A client of the 2025 era, with a session. */
async function connectLegacy(url: string, token?: string): Promise<McpClient> {
  const client = new LegacyClient({ name: 'legacy', version: '1' });
  const transport = new LegacyTransport(new URL(url), { requestInit: { headers: headersOf(token) } });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    era: transport.sessionId === undefined ? 'without a session' : 'legacy',
    listTools: () => client.listTools() as Promise<unknown> as Promise<{ tools: ListedTool[] }>,
    callTool: (name, args = {}) =>
      client.callTool({ name, arguments: args }) as Promise<unknown> as Promise<ToolResult>,
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

export const ERAS = { legacy: connectLegacy, modern: connectModern } as const;

/** What a tool answered, after the rules that hold for every good answer of ours: text and structure say the same. */
export function answerOf<T = Record<string, unknown>>(result: ToolResult): T {
  const text = result.content[0]?.text ?? '';
  if (result.isError === true) throw new Error(`the tool failed: ${text}`);
  if (JSON.stringify(result.structuredContent) !== text) throw new Error(`text and structure differ: ${text}`);
  return result.structuredContent as T;
}

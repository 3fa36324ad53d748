import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as LegacyStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as LegacyHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { outputValidators } from '../../../src/scripted-agent/output-validators.ts';
import { runBridge } from '../../../src/surfaces/cli/bridge/run.ts';

export interface ToolResult {
  isError?: boolean;
  content: { type: string; text: string }[];
  structuredContent?: unknown;
}

interface ListedTool {
  name: string;
  title?: string | undefined;
  inputSchema: { properties?: Record<string, { description?: string }> };
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
}

/** A notification that a watched resource has changed, with the events that caused it. */
export interface Update {
  uri: string;
  events: { type: string; data: Record<string, unknown> }[];
}

/** Requests other than those for tools. Both client libraries use the same names for them. */
type Requests = Pick<
  ModernClient,
  'listResources' | 'listResourceTemplates' | 'readResource' | 'listPrompts' | 'getPrompt' | 'complete'
>;

/** Tests use both MCP client libraries through this interface. */
export interface McpClient extends Requests {
  /** Year of the negotiated protocol revision: 2026 or 2025. */
  era: string;
  listTools(): Promise<{ tools: ListedTool[] }>;
  callTool(name: string, args?: Record<string, unknown>): Promise<ToolResult>;
  /** Watches one resource. Returns the URIs that the server accepted, and a function that stops watching. */
  watch(uri: string, told: (update: Update) => void): Promise<{ honoured: readonly string[]; stop(): Promise<void> }>;
  instructions(): string | undefined;
  capabilities(): object | undefined;
  close(): Promise<void>;
}

type Transport = Parameters<ModernClient['connect']>[0];
type Reach = (url: string, token: string | undefined) => unknown;

const CLI = fileURLToPath(new URL('../../../bin/agent-console.js', import.meta.url));

function init(token: string | undefined): { requestInit: RequestInit } {
  return { requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } } };
}

/** Returns the command with which a client starts the bridge. `?toolsets=` in the URL becomes `--toolsets`. */
function bridgeTo(url: string, token: string | undefined) {
  const { origin, searchParams } = new URL(url);
  const toolsets = searchParams.get('toolsets');
  return {
    command: process.execPath,
    args: [CLI, 'mcp', 'serve', '--url', origin, ...(toolsets === null ? [] : ['--toolsets', toolsets])],
    env: { PATH: process.env.PATH ?? '', ...(token === undefined ? {} : { AGENT_CONSOLE_TOKEN: token }) },
    stderr: 'inherit' as const,
  };
}

/**
 * A client transport that runs the bridge (`agent-console mcp serve`) in this process instead of starting a process for
 * it.
 */
class InProcessBridge {
  readonly pid = null;
  readonly stderr = null;
  onmessage?: (message: object) => void;
  onclose?: () => void;
  readonly #input = new PassThrough();
  readonly #url: URL;
  readonly #token: string | undefined;

  constructor(url: string, token: string | undefined) {
    this.#url = new URL(url);
    this.#token = token;
  }

  async start(): Promise<void> {
    const output = new PassThrough();
    createInterface({ input: output }).on('line', (line) => this.onmessage?.(JSON.parse(line) as object));
    const { origin, searchParams } = this.#url;
    const ended = runBridge({
      baseUrl: origin,
      token: this.#token,
      toolsets: searchParams.get('toolsets') ?? undefined,
      input: this.#input,
      output,
      signalled: new Promise(() => undefined),
    });
    void ended.then(() => {
      output.end();
      this.onclose?.();
    });
  }

  async send(message: object): Promise<void> {
    this.#input.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#input.end();
  }
}

function updateOf(params: { uri: string; _meta?: Record<string, unknown> | undefined }): Update {
  return { uri: params.uri, events: (params._meta?.['agent-console/events'] ?? []) as Update['events'] };
}

function requestsOf(client: ModernClient): Requests {
  return {
    listResources: (...args) => client.listResources(...args),
    listResourceTemplates: (...args) => client.listResourceTemplates(...args),
    readResource: (...args) => client.readResource(...args),
    listPrompts: (...args) => client.listPrompts(...args),
    getPrompt: (...args) => client.getPrompt(...args),
    complete: (...args) => client.complete(...args),
  };
}

/**
 * Returns a function that connects a client for revision 2026-07-28 of the protocol. The client negotiates the revision
 * itself.
 */
function modern(reach: Reach) {
  return async (url: string, token?: string): Promise<McpClient> => {
    const client = new ModernClient(
      { name: 'modern', version: '1' },
      { versionNegotiation: { mode: 'auto' }, jsonSchemaValidator: outputValidators },
    );
    await client.connect(reach(url, token) as Transport);
    const listeners = new Map<string, (update: Update) => void>();
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      listeners.get(params.uri)?.(updateOf(params));
    });
    return {
      ...requestsOf(client),
      era: client.getProtocolEra() === 'modern' ? '2026' : '2025',
      listTools: () => client.listTools() as Promise<unknown> as Promise<{ tools: ListedTool[] }>,
      callTool: (name, args = {}) =>
        client.callTool({ name, arguments: args }) as Promise<unknown> as Promise<ToolResult>,
      async watch(uri, told) {
        listeners.set(uri, told);
        const listening = await client.listen({ resourceSubscriptions: [uri] });
        return {
          honoured: listening.honoredFilter.resourceSubscriptions ?? [],
          stop: () => listening.close(),
        };
      },
      instructions: () => client.getInstructions(),
      capabilities: () => client.getServerCapabilities(),
      close: () => client.close(),
    };
  };
}

/** Returns a function that connects a new client for the 2025 revisions of the protocol. */
function legacy(reach: Reach) {
  return async (url: string, token?: string): Promise<McpClient> => {
    const client = new LegacyClient({ name: 'legacy', version: '1' }, { jsonSchemaValidator: outputValidators });
    await client.connect(reach(url, token) as Parameters<LegacyClient['connect']>[0]);
    const listeners = new Map<string, (update: Update) => void>();
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      listeners.get(params.uri)?.(updateOf(params));
    });
    return {
      ...requestsOf(client as unknown as ModernClient),
      era: '2025',
      listTools: () => client.listTools() as Promise<unknown> as Promise<{ tools: ListedTool[] }>,
      callTool: (name, args = {}) =>
        client.callTool({ name, arguments: args }) as Promise<unknown> as Promise<ToolResult>,
      async watch(uri, told) {
        listeners.set(uri, told);
        await client.subscribeResource({ uri });
        return {
          honoured: [uri],
          async stop() {
            await client.unsubscribeResource({ uri });
          },
        };
      },
      instructions: () => client.getInstructions(),
      capabilities: () => client.getServerCapabilities(),
      close: () => client.close(),
    };
  };
}

/**
 * Returns clients for the 2025 revisions and for revision 2026-07-28 of the protocol, both over HTTP. `options` can
 * contain another `fetch` for their requests.
 */
export function erasWith(options: { fetch?: (url: string | URL, init?: RequestInit) => Promise<Response> } = {}) {
  return {
    legacy: legacy((url, token) => new LegacyHttp(new URL(url), { ...init(token), ...options })),
    modern: modern((url, token) => new ModernHttp(new URL(url), { ...init(token), ...options })),
  } as const;
}

export const ERAS = erasWith();

/** All transports and protocol revisions by name. The console must behave in the same way over all of them. */
export const WAYS = {
  'HTTP, 2025': ERAS.legacy,
  'HTTP, 2026': ERAS.modern,
  'stdio, 2025': legacy((url, token) => new LegacyStdio(bridgeTo(url, token))),
  'stdio, 2026': modern((url, token) => new ModernStdio(bridgeTo(url, token))),
  'HTTP+SSE': legacy((url, token) => new SSEClientTransport(new URL(url.replace('/mcp', '/sse')), init(token))),
} as const;

/**
 * The same transports and protocol revisions as `WAYS`, but without processes, for apps in the test's process. Each
 * start of `agent-console mcp serve` takes 0.3 s of CPU time. Clients of the 2026 revision start it twice.
 */
export const WAYS_IN_PROCESS: typeof WAYS = {
  ...WAYS,
  'stdio, 2025': legacy((url, token) => new InProcessBridge(url, token)),
  'stdio, 2026': modern((url, token) => new InProcessBridge(url, token)),
};

/**
 * Returns the structured result of a tool call. Throws if the call failed, or if the result's text is not the same
 * JSON.
 */
export function answerOf<T = Record<string, unknown>>(result: ToolResult): T {
  const text = result.content[0]?.text ?? '';
  if (result.isError === true) throw new Error(`the tool failed: ${text}`);
  if (JSON.stringify(result.structuredContent) !== text) throw new Error(`text and structure differ: ${text}`);
  return result.structuredContent as T;
}

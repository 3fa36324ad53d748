import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import {
  CLIENT_CALL_MS,
  CLIENT_RETRY_MS,
  CLIENT_RETRY_PAUSE_MAX_MS,
  CLIENT_RETRY_PAUSE_MS,
} from '@agent-console/shared/limits/calls';
import type { CallToolResult, Client, Tool } from '@modelcontextprotocol/client';
import { classifyFailure, type Failure } from './mcp-failure.ts';

interface ToolAnswer {
  text: string;
  isError: boolean;
}

export interface ToolCaller {
  /**
   * Calls a console tool. Rejects if the call could not be made, the server returned an error instead of a result, or
   * the outcome is unknown.
   */
  call(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolAnswer>;
  close(): void;
}

/** How the console's tools are reached: at an address with a token, or through a program that forwards calls. */
type ToolServer =
  | { url: string; readToken: () => Promise<string | null> }
  | { command: string; args: string[]; env: Record<string, string> };

interface Connection {
  client: Client;
  tools: Map<string, Tool>;
}

/**
 * Calls the console's tools over HTTP or stdio, as any MCP client would. Continues to work after a restart of the
 * server: it retries for up to CLIENT_RETRY_MS after the first failure, with one idempotency key per call if the tool
 * accepts one. A call whose connection broke may have run, so it is retried only if a second run is harmless.
 */
export function createToolCaller(server: ToolServer | null): ToolCaller {
  let connection: Connection | null = null;

  const disconnect = () => {
    const old = connection;
    connection = null;
    old?.client.close().catch(() => {});
  };

  const connected = async (signal: AbortSignal): Promise<Connection> => {
    connection ??= await connect(server, signal);
    return connection;
  };

  /** Calls the tool once. Returns the result or the failure, and in `again` whether the call should be repeated. */
  const attempt = async (
    name: string,
    args: Record<string, unknown>,
    key: string,
    signal: AbortSignal,
  ): Promise<{ answer: ToolAnswer; again: boolean } | { failure: Failure; again: boolean }> => {
    let repeatable = true;
    try {
      const { client, tools } = await connected(signal);
      const tool = tools.get(name);
      const takesKey = tool?.inputSchema.properties?.idempotencyKey !== undefined;
      repeatable = takesKey || tool?.annotations?.readOnlyHint === true || tool?.annotations?.idempotentHint === true;
      const full = takesKey && !('idempotencyKey' in args) ? { ...args, idempotencyKey: key } : args;
      const result = await client.callTool({ name, arguments: full }, limits(signal));
      const answer = { text: textOf(result), isError: result.isError === true };
      return { answer, again: answer.isError && asksAgain(answer.text) };
    } catch (error) {
      if (signal.aborted) throw error;
      const failure = classifyFailure(error);
      if (failure.kind !== 'answered') disconnect();
      const again = failure.kind === 'not-sent' || (failure.kind === 'broken' && repeatable);
      return { failure, again };
    }
  };

  return {
    async call(name, args, signal) {
      const key = randomUUID();
      let until = 0;
      for (let wait = CLIENT_RETRY_PAUSE_MS; ; wait = Math.min(2 * wait, CLIENT_RETRY_PAUSE_MAX_MS)) {
        const result = await attempt(name, args, key, signal);
        until ||= Date.now() + CLIENT_RETRY_MS;
        if (result.again && Date.now() + wait < until) await sleep(wait, undefined, { signal });
        else if ('answer' in result) return result.answer;
        else throw new Error(result.failure.message, { cause: result.failure.cause });
      }
    },
    close: disconnect,
  };
}

async function connect(server: ToolServer | null, signal: AbortSignal): Promise<Connection> {
  if (server === null)
    throw new Error(
      "AGENT_CONSOLE_MCP_URL is not set: only an agent started by the console can call the console's tools",
    );
  const [{ Client }, { outputValidators }, transport] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('./output-validators.ts'),
    transportTo(server),
  ]);
  const client = new Client(
    { name: 'agent-console-scripted', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' }, jsonSchemaValidator: outputValidators },
  );
  client.onerror = () => {};
  const options = limits(signal);
  try {
    await client.connect(transport, options);
    const { tools } = await client.listTools(undefined, options);
    return { client, tools: new Map(tools.map((tool) => [tool.name, tool])) };
  } catch (error) {
    client.close().catch(() => {});
    throw error;
  }
}

async function transportTo(server: ToolServer): Promise<Parameters<Client['connect']>[0]> {
  if ('command' in server) {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    return new StdioClientTransport(server);
  }
  const token = await server.readToken();
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  return new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } });
}

/**
 * Returns the options of one call. Each call gets a signal of its own, because the MCP client never removes its
 * listener from the signal.
 */
function limits(signal: AbortSignal): { signal: AbortSignal; timeout: number } {
  return { signal: AbortSignal.any([signal]), timeout: CLIENT_CALL_MS };
}

function textOf(result: CallToolResult): string {
  const texts = result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
  return texts.length > 0 ? texts.join('\n') : JSON.stringify(result.structuredContent ?? {});
}

/** Whether the error text of a tool call says that nothing was done and that the call may be repeated. */
function asksAgain(text: string): boolean {
  const body = text.slice(text.indexOf('\n') + 1);
  let error: ConsoleError | undefined;
  try {
    error = ConsoleError.fromBody(JSON.parse(body));
  } catch {
    error = undefined;
  }
  return error?.code === 'BUSY' || /^BUSY:|restarting, call again/.test(text);
}

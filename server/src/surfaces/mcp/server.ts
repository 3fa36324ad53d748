import { ConsoleError } from '@agent-console/shared/errors';
import { COMPLETIONS_MAX } from '@agent-console/shared/limits/mcp';
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Call } from '../../domain/call.ts';
import type { Caller } from '../../domain/caller.ts';
import { nearest } from '../../domain/nearest.ts';
import { bounded, callTool, errorResult, type ToolCallOptions } from './call.ts';
import { withProtocolErrors } from './errors.ts';
import { exchangeOf, type McpExchange } from './exchange.ts';
import { idsForArgument, makePrompt, promptsFor } from './prompts.ts';
import { completeId, completeUri, listResources, offersOf, readResource, templatesFor } from './resources.ts';
import { noToolsReason, requireToolCaller, TOOLS, type Tool, toolNamed, toolsFor } from './tools.ts';

export interface ToolServerOptions extends ToolCallOptions {
  version: string;
}

/** Creates the MCP server that answers a request (2026 revision) or serves a session (2025 revisions). */
export type BuildServer = (exchange: McpExchange) => Server | McpServer;

function instructionsFor(caller: Caller): string {
  const none = noToolsReason(caller);
  if (none !== undefined) return none;
  const self = caller.kind === 'worker' ? ` You are session ${caller.sessionId}.` : '';
  return `Agent Console runs coding agents in git worktrees.${self} Hand work to another agent with delegate_to_worktree: it gets its own branch and folder. You are notified when its task ends, so you need not wait. If you must wait, call wait_for_session; read_session_output returns the agent's output. When your own task is done, or cannot be done, call report_result once. Errors begin with a code and say what to do next.`;
}

/**
 * Creates MCP servers that expose the operation table: its tools and resources, and the prompts that use them. Uses the
 * SDK's low-level server, which does not validate arguments, so that the console's own validation errors reach the
 * model unchanged.
 */
export function createToolServer(options: ToolServerOptions): BuildServer {
  return (opening) => {
    const server = new Server(
      { name: 'agent-console', title: 'Agent Console', version: options.version },
      {
        capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
        instructions: instructionsFor(opening.caller),
      },
    );
    serveTools(server, options);
    serveResources(server, options);
    servePrompts(server, options);
    serveSubscriptions(server);
    return server;
  };
}

function serveTools(server: Server, options: ToolServerOptions): void {
  server.setRequestHandler('tools/list', (_, context) => {
    const { caller, toolsets } = exchangeOf(context);
    return { tools: toolsFor(caller, toolsets) };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const exchange = exchangeOf(context);
    const tool = toolNamed(params.name);
    const refused = refusalOf(exchange.caller, tool);
    if (refused !== undefined) {
      const call = { caller: exchange.caller, surface: 'mcp' } as const;
      await options.gate.refused(tool?.operation ?? 'tools/call', refused, call, performance.now());
      if (refused.code === 'UNAUTHENTICATED') return errorResult(refused);
    }
    if (tool === undefined) throw unknownTool(params.name);
    const { id, signal } = context.mcpReq;
    const cancel = new AbortController();
    exchange.open?.set(id, cancel);
    signal.addEventListener('abort', () => cancel.abort(), { once: true });
    try {
      return await callTool(tool, params.arguments ?? {}, exchange, cancel.signal, options);
    } finally {
      exchange.open?.delete(id);
    }
  });
}

/**
 * Returns the error for a call that cannot run, because the tool is unknown or the caller gets no tools; otherwise
 * undefined.
 */
function refusalOf(caller: Caller, tool: Tool | undefined): ConsoleError | undefined {
  const refused = noToolsReason(caller);
  if (refused !== undefined) return new ConsoleError('UNAUTHENTICATED', refused);
  return tool === undefined ? new ConsoleError('NOT_FOUND', 'No tool has this name.') : undefined;
}

function unknownTool(name: string): ProtocolError {
  const near = nearest(
    name,
    TOOLS.map((tool) => tool.form.name),
  );
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool "${name}". Nearest: ${near.join(', ')}`, {
    nearest: near,
  });
}

/**
 * Handles a request that only reads, with a time limit. If the request is open when the server stops, it is still
 * answered.
 */
function boundedRead<T>(
  context: ServerContext,
  { drain }: ToolServerOptions,
  read: (call: Call) => Promise<T>,
  uri?: string,
) {
  const exchange = exchangeOf(context);
  const { caller, outgoing } = exchange;
  return withProtocolErrors(
    () =>
      drain.call(outgoing, () =>
        bounded(context.mcpReq.signal, exchange.signal, (signal) => read({ caller, surface: 'mcp', signal })),
      ),
    uri,
  );
}

function serveResources(server: Server, options: ToolServerOptions): void {
  const { gate } = options;
  server.setRequestHandler('resources/templates/list', (_, context) => ({
    resourceTemplates: templatesFor(exchangeOf(context).caller, gate),
  }));
  server.setRequestHandler('resources/list', ({ params }, context) =>
    boundedRead(context, options, (call) => listResources(params?.cursor, call, gate)),
  );
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) =>
    boundedRead(context, options, (call) => readResource(uri, call, gate), uri),
  );
}

function servePrompts(server: Server, options: ToolServerOptions): void {
  const { gate } = options;
  server.setRequestHandler('prompts/list', (_, context) => ({ prompts: promptsFor(exchangeOf(context).caller) }));
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    withProtocolErrors(async () => {
      const { caller } = exchangeOf(context);
      requireToolCaller(caller);
      return makePrompt(params.name, params.arguments ?? {}, caller);
    }),
  );
  server.setRequestHandler('completion/complete', ({ params: { ref, argument } }, context) =>
    boundedRead(context, options, async (call) => {
      const idsOf = ref.type === 'ref/prompt' ? idsForArgument(ref.name, argument.name) : undefined;
      const found =
        ref.type === 'ref/resource'
          ? await completeUri(ref.uri, argument.value, call, gate)
          : idsOf === undefined || noToolsReason(call.caller) !== undefined
            ? []
            : await completeId(offersOf(idsOf), argument.value, call, gate);
      return { completion: { values: found.slice(0, COMPLETIONS_MAX), hasMore: found.length > COMPLETIONS_MAX } };
    }),
  );
}

/** Handles `resources/subscribe` and `resources/unsubscribe`, which only the 2025 revisions of MCP have. */
export function serveSubscriptions(server: Server): void {
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }, context) =>
    withProtocolErrors(async () => {
      const { caller, watched } = exchangeOf(context);
      await watched?.add(uri, caller);
      return {};
    }, uri),
  );
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }, context) => {
    await exchangeOf(context).watched?.remove(uri);
    return {};
  });
}

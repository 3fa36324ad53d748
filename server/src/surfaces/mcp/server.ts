import { ConsoleError } from '@agent-console/shared/errors';
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/caller.ts';
import { nearest } from '../nearest.ts';
import { callTool, errorResult, type ToolCallOptions } from './call.ts';
import { exchangeOf, type McpExchange } from './exchange.ts';
import { TOOLS, toolNamed, toolsFor, whyNoTools } from './tools.ts';

export interface ToolServerOptions extends ToolCallOptions {
  version: string;
}

/** Makes the protocol server for one request (2026 era) or one session (2025 era). */
export type BuildServer = (exchange: McpExchange) => Server;

function instructionsFor(caller: Caller): string {
  const none = whyNoTools(caller);
  if (none !== undefined) return none;
  const self = caller.kind === 'worker' ? ` You are session ${caller.sessionId}.` : '';
  return `Agent Console runs coding agents in git worktrees.${self} Hand work to another agent with delegate_to_worktree: it gets its own branch and folder. You are told when it ends, so you need not wait; wait_for_session waits if you must, read_session_output shows what it printed. When the task you were given is done, or cannot be done, call report_result once. Errors begin with a code and say what to do next.`;
}

/**
 * The tools of the operation table as an MCP server. It is the low-level server of the SDK, so that the gate validates
 * and its errors reach the model as they are.
 */
export function createToolServer(options: ToolServerOptions): BuildServer {
  return (opening) => {
    const server = new Server(
      { name: 'agent-console', title: 'Agent Console', version: options.version },
      { capabilities: { tools: {} }, instructions: instructionsFor(opening.caller) },
    );
    server.setRequestHandler('tools/list', (_, context) => {
      const { caller, toolsets } = exchangeOf(context);
      return { tools: toolsFor(caller, toolsets, options.gate) };
    });
    server.setRequestHandler('tools/call', async ({ params }, context) => {
      const exchange = exchangeOf(context);
      const refused = whyNoTools(exchange.caller);
      if (refused !== undefined) return errorResult(new ConsoleError('UNAUTHENTICATED', refused));
      const tool = toolNamed(params.name);
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
    return server;
  };
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

import { ACP_LINE_MAX_BYTES } from '@agent-console/shared/limits/acp';
import { MIB } from '@agent-console/shared/limits/units';
import type { McpServer } from '@agentclientprotocol/sdk';
import type { ProtocolCapabilities } from '../domain/protocol.ts';
import type { AgentProtocol, ProtocolLine } from '../ports/protocol.ts';
import { readLine } from './incoming.ts';
import { createLineReader } from './lines.ts';
import * as outgoing from './outgoing.ts';

const FAILURES = {
  unsupported: 'methodNotFound',
  invalid: 'invalidParams',
  notFound: 'notFound',
  internal: 'internal',
} as const;

const AGENT_STOPPED = 'The agent was stopped, and the next prompt continues its conversation in a new process.';
const LINE_TOO_LONG = `The agent wrote a line of more than ${ACP_LINE_MAX_BYTES / MIB} MiB, the maximum size of a message. ${AGENT_STOPPED}`;
const MESSAGES_LOST = `The agent wrote faster than its messages could be stored, so some of them were lost. ${AGENT_STOPPED}`;

/**
 * Content of the file in the worker's folder that says how to open the agent's conversation. The optional fields are
 * missing in files that an earlier version of the console wrote.
 */
interface Opening {
  /**
   * The console's own MCP server, over HTTP and over stdio. Null if the agent's own configuration already contains it.
   */
  own: { http: McpServer; stdio: McpServer } | null;
  others: McpServer[];
  instructions?: string | null;
  directories?: string[];
  meta?: Record<string, unknown> | null;
}

/** Whether the agent supports the transport of an MCP server. Every agent supports stdio. */
function supports(capabilities: ProtocolCapabilities | null, server: McpServer): boolean {
  const { mcpHttp = false, mcpSse = false } = capabilities ?? {};
  return !('type' in server) || (server.type === 'sse' ? mcpSse : mcpHttp);
}

function supported({ own, others }: Opening, capabilities: ProtocolCapabilities | null): McpServer[] {
  const supportedOthers = others.filter((server) => supports(capabilities, server));
  return own === null ? supportedOthers : [supports(capabilities, own.http) ? own.http : own.stdio, ...supportedOthers];
}

/** Returns the parameters with which to open the conversation, without those that the agent does not support. */
function openParams(cwd: string, opening: Opening, capabilities: ProtocolCapabilities | null): outgoing.OpenParams {
  const { instructions = null, directories = [], meta = null } = opening;
  const { systemPrompt = false, additionalDirectories = false } = capabilities ?? {};
  return {
    cwd,
    mcpServers: supported(opening, capabilities),
    ...(additionalDirectories && directories.length > 0 ? { additionalDirectories: directories } : {}),
    ...(systemPrompt && instructions !== null
      ? { systemPrompt: { mode: 'append', content: [{ type: 'text', text: instructions }] } }
      : {}),
    ...(meta === null ? {} : { _meta: meta }),
  };
}

/** Creates the translator of the Agent Client Protocol, version 1. @param version the console's own version */
export function createAcp(version: string): AgentProtocol {
  return {
    createReader(offset) {
      const reader = createLineReader(offset, ACP_LINE_MAX_BYTES);
      let position = offset;
      let isBroken = false;
      const broken = (why: string, location: { offset: number; next: number }): ProtocolLine => {
        isBroken = true;
        return { ...location, event: { type: 'broken', why } };
      };
      return {
        push(at, data, nativeId) {
          if (isBroken) return [];
          if (at !== position) return [broken(MESSAGES_LOST, { offset: position, next: at })];
          position = at + data.length;
          return reader.push(data).flatMap(({ text, ...location }) => {
            if (text === null) return [broken(LINE_TOO_LONG, location)];
            return text.trim() === '' ? [] : [{ ...location, event: readLine(text, nativeId) }];
          });
        },
      };
    },
    frames: {
      initialize: () =>
        outgoing.initialize(version, {
          fs: { readTextFile: true, writeTextFile: true },
          terminal: true,
          // Declares that the console can show a person the command of a log-in that runs in a terminal.
          auth: { terminal: true },
          // With `terminal_output`, Claude Code and Codex send the output of commands that they run in their own
          // terminals.
          _meta: { 'terminal-auth': true, terminal_output: true },
          elicitation: { form: {}, url: {} },
        }),
      authenticate: outgoing.authenticate,
      open(requestId, mode, { nativeId, cwd, opening, capabilities }) {
        const params = openParams(cwd, JSON.parse(opening) as Opening, capabilities);
        return mode === 'new' || nativeId === null
          ? outgoing.newSession(requestId, params)
          : outgoing.openSession(requestId, mode, nativeId, params);
      },
      unsupportedServers: (opening, capabilities) =>
        (JSON.parse(opening) as Opening).others
          .filter((server) => !supports(capabilities, server))
          .map(({ name }) => name),
      promptInstructions: (opening, capabilities) =>
        capabilities?.systemPrompt === true ? null : ((JSON.parse(opening) as Opening).instructions ?? null),
      prompt: outgoing.prompt,
      cancel: outgoing.cancel,
      close: outgoing.closeSession,
      choose: (requestId, nativeId, option, value) =>
        option.request === 'mode'
          ? outgoing.setMode(requestId, nativeId, value)
          : outgoing.setConfigOption(
              requestId,
              nativeId,
              option.id,
              option.request === 'flag' ? value === 'true' : value,
            ),
      permission: outgoing.permission,
      elicitation: outgoing.elicitation,
      result: outgoing.result,
      failure: (requestId, reason, message) => outgoing.failure(requestId, FAILURES[reason], message),
    },
  };
}

import type { Message } from '@agent-console/shared/models/message';

/**
 * What an agent with a structured protocol says and is told, in the console's own words, so that another version of the
 * protocol changes only the code that translates it.
 */

/** A part of a message: text, an image, a link to a resource. */
export type MessagePart = Message['parts'][number];

/** What the agent says it can do, learned before its first session. */
export interface ProtocolCapabilities {
  loadSession: boolean;
  resumeSession: boolean;
  closeSession: boolean;
  image: boolean;
  embeddedContext: boolean;
  /** Transports of MCP servers besides stdio. */
  mcpHttp: boolean;
  mcpSse: boolean;
}

/** A way to log in. */
interface LoginMethod {
  id: string;
  name: string;
  description: string | null;
}

/** A choice that the agent offers for its conversation, such as its mode or model. */
export interface ConfigOption {
  id: string;
  name: string;
  /** `mode` and `model` are the categories that the console knows. */
  category: string | null;
  current: string;
  /** Which request changes it: that of modes, or that of options. */
  request: 'mode' | 'option';
  values: readonly { id: string; name: string; description: string | null }[];
}

interface SlashCommand {
  name: string;
  description: string;
  hint: string | null;
}

export interface PlanEntry {
  content: string;
  priority: string;
  status: string;
}

/** Fields of a tool call. An update contains only the changed ones. */
export interface ToolCallFields {
  title?: string;
  kind?: string;
  status?: 'pending' | 'in_progress' | 'completed' | 'failed';
  content?: readonly MessagePart[];
  locations?: readonly { path: string; line: number | null }[];
  input?: unknown;
  output?: unknown;
}

type PermissionEffect = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';

/** Why a prompt ended. */
export type StopReason = 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled';

/** Id of a JSON-RPC request, as sent. */
export type RequestId = string | number | null;

export type ProtocolEvent =
  | { type: 'initialized'; version: number; capabilities: ProtocolCapabilities; logins: readonly LoginMethod[] }
  /** The agent's conversation is open. `nativeId` is null if the request named it. */
  | { type: 'opened'; nativeId: string | null; options: readonly ConfigOption[] }
  | {
      type: 'chunk';
      role: 'user' | 'agent';
      kind: 'text' | 'thought';
      /** The agent's id of the message that the chunk continues, if it has one. */
      messageId: string | null;
      part: MessagePart;
    }
  | { type: 'toolCall'; callId: string; fields: ToolCallFields }
  | { type: 'plan'; entries: readonly PlanEntry[] }
  | { type: 'commands'; commands: readonly SlashCommand[] }
  | { type: 'mode'; modeId: string }
  | { type: 'options'; options: readonly ConfigOption[] }
  | { type: 'usage'; used: number; size: number; costUsd: number | null }
  | { type: 'title'; title: string }
  | {
      type: 'permission';
      requestId: RequestId;
      callId: string;
      fields: ToolCallFields;
      options: readonly { id: string; label: string; effect: PermissionEffect }[];
    }
  /** A request that needs files, terminals or a person. */
  | { type: 'request'; requestId: RequestId; method: string; params: unknown }
  | { type: 'promptEnded'; inputId: string; reason: StopReason }
  | { type: 'answered'; requestId: string }
  /** `inputId` is that of the prompt that was refused; null for another request. */
  | { type: 'refused'; requestId: string; inputId: string | null; code: number; message: string }
  /** Something that the console does not know. It is ignored. */
  | { type: 'unknown'; what: string }
  /** Something that breaks the protocol. `requestId` is set if it can be answered with an error. */
  | { type: 'fault'; what: string; requestId?: RequestId };

/** What is known about an agent's connection. Stored with the position up to which its log was handled. */
export interface ProtocolState {
  /**
   * `opening`: the conversation was requested; `choosing`: its permission mode was requested; `ready`: prompts can be sent; `failed`: the agent refused a request that
   * everything else needs.
   */
  phase: 'initializing' | 'opening' | 'choosing' | 'ready' | 'failed';
  capabilities: ProtocolCapabilities | null;
  logins: readonly LoginMethod[];
  options: readonly ConfigOption[];
  commands: readonly SlashCommand[];
  usage: { used: number; size: number; costUsd: number | null } | null;
  /** The stored message that the next chunk continues if it has the same role, kind and id; null after other updates. */
  open: { rowId: string; role: 'user' | 'agent'; kind: 'text' | 'thought'; messageId: string | null } | null;
  /** Requests of the agent that are not answered yet, except permission requests, which are approvals. */
  requests: readonly { requestId: RequestId; method: string; params: unknown; offset: number }[];
}

/**
 * Returns the choice by which the agent gets one of these modes, most wanted first; null if it has it already or offers
 * none of them.
 */
export function modeChoice(
  options: readonly ConfigOption[],
  names: readonly string[],
): { option: ConfigOption; value: string } | null {
  const option = options.find(({ category }) => category === 'mode');
  const value = names.find((name) => option?.values.some(({ id }) => id === name));
  return option === undefined || value === undefined || value === option.current ? null : { option, value };
}

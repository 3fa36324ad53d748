import type {
  AuthenticateRequest,
  ClientCapabilities,
  CloseSessionRequest,
  CreateElicitationResponse,
  InitializeRequest,
  LoadSessionRequest,
  McpServer,
  NewSessionRequest,
  PromptRequest,
  RequestPermissionResponse,
  SetSessionConfigOptionRequest,
  SetSessionModeRequest,
} from '@agentclientprotocol/sdk';
import type { FormValues, RequestId } from '../domain/protocol.ts';
import type { PromptBlock } from '../ports/protocol.ts';

/**
 * This module builds the lines that the console sends to an agent. Request ids are derived from stored ids, so that a
 * response can be matched to its request even after a restart.
 */

/** Version of the protocol, which the console and the agent must both support. */
export const PROTOCOL_VERSION = 1;

/** Ids of requests that the console sends only once to each agent process. */
export const REQUESTS = { initialize: 'initialize' } as const;

const PROMPT = 'prompt:';

/** Returns the id of the input that this request sends as a prompt, or null if the request is not a prompt. */
export function inputOfPrompt(requestId: string): string | null {
  return requestId.startsWith(PROMPT) ? requestId.slice(PROMPT.length) : null;
}

const line = (message: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const request = <P>(id: string, method: string, params: P) => line({ id, method, params });

export function initialize(version: string, clientCapabilities: ClientCapabilities): string {
  return request<InitializeRequest>(REQUESTS.initialize, 'initialize', {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'agent-console', title: 'Agent Console', version },
    clientCapabilities,
  });
}

/** Parameters with which a conversation is opened. Parameters that the agent does not support are left out. */
export interface OpenParams {
  cwd: string;
  mcpServers: McpServer[];
  additionalDirectories?: string[];
  /**
   * Instructions that are appended to the agent's own instructions. The SDK has no type for this parameter, because it
   * is not part of the stable protocol yet.
   */
  systemPrompt?: { mode: 'append'; content: { type: 'text'; text: string }[] };
  _meta?: Record<string, unknown>;
}

const OPEN = /^open(:\d+)?$/;

/** Whether the request with this id opens a conversation, either for the first time or again after a log-in. */
export const isOpening = (requestId: string) => OPEN.test(requestId);

export function authenticate(requestId: string, methodId: string): string {
  return request<AuthenticateRequest>(requestId, 'authenticate', { methodId });
}

export function newSession(requestId: string, params: OpenParams): string {
  return request<NewSessionRequest>(requestId, 'session/new', params);
}

/**
 * Opens a stored conversation:
 * - `load`: the agent replays the messages of the conversation.
 * - `resume`: the agent replays no messages.
 * - `fork`: the agent opens a copy with a new id. Not part of the stable protocol yet.
 */
export function openSession(
  requestId: string,
  method: 'load' | 'resume' | 'fork',
  sessionId: string,
  params: OpenParams,
): string {
  return request<LoadSessionRequest>(requestId, `session/${method}`, { sessionId, ...params });
}

/**
 * @param more.instructions instructions that the agent did not receive when its conversation was opened; placed before
 * the text
 * @param more.images placed after the text
 */
export function prompt(
  inputId: string,
  sessionId: string,
  text: string,
  { instructions = null, images = [] }: { instructions?: string | null; images?: readonly PromptBlock[] } = {},
): string {
  const texts = instructions === null ? [text] : [instructions, text];
  return request<PromptRequest>(`${PROMPT}${inputId}`, 'session/prompt', {
    sessionId,
    prompt: [...texts.map((each) => ({ type: 'text' as const, text: each })), ...images],
  });
}

export function cancel(sessionId: string): string {
  return line({ method: 'session/cancel', params: { sessionId } });
}

/** Closes a conversation. The agent keeps the conversation, so that it can be opened again. */
export function closeSession(requestId: string, sessionId: string): string {
  return request<CloseSessionRequest>(requestId, 'session/close', { sessionId });
}

export function setMode(requestId: string, sessionId: string, modeId: string): string {
  return request<SetSessionModeRequest>(requestId, 'session/set_mode', { sessionId, modeId });
}

export function setConfigOption(
  requestId: string,
  sessionId: string,
  configId: string,
  value: string | boolean,
): string {
  const chosen = typeof value === 'boolean' ? { type: 'boolean' as const, value } : { value };
  return request<SetSessionConfigOptionRequest>(requestId, 'session/set_config_option', {
    sessionId,
    configId,
    ...chosen,
  });
}

/** Answers a permission request. `optionId` is null if the prompt was cancelled. */
export function permission(requestId: RequestId, optionId: string | null): string {
  const outcome = optionId === null ? { outcome: 'cancelled' as const } : { outcome: 'selected' as const, optionId };
  return result(requestId, { outcome } satisfies RequestPermissionResponse);
}

/** Answers a request to fill in a form or to open a page. `content` contains the values of an accepted form. */
export function elicitation(
  requestId: RequestId,
  action: 'accept' | 'decline' | 'cancel',
  content: FormValues | null,
): string {
  const answer = action === 'accept' && content !== null ? { action, content: { ...content } } : { action };
  return result(requestId, answer satisfies CreateElicitationResponse);
}

export function result(id: RequestId, value: object): string {
  return line({ id, result: value });
}

/** Error codes of JSON-RPC 2.0, followed by two codes of the Agent Client Protocol. */
export const ERROR_CODES = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  authRequired: -32000,
  notFound: -32002,
} as const;

export function failure(id: RequestId, code: keyof typeof ERROR_CODES, message: string): string {
  return line({ id, error: { code: ERROR_CODES[code], message } });
}

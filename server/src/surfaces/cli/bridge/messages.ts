import { ConsoleError } from '@agent-console/shared/errors';
import { CONTRACTS } from '@agent-console/shared/operations/table';

/** The parts of a JSON-RPC message that the bridge reads. */
export interface Message {
  id?: string | number | null;
  method?: string;
  params?: {
    name?: unknown;
    uri?: unknown;
    requestId?: unknown;
    protocolVersion?: unknown;
    _meta?: Record<string, unknown>;
    notifications?: { resourceSubscriptions?: unknown };
  };
  result?: { protocolVersion?: unknown; isError?: unknown; content?: unknown };
  error?: { data?: unknown };
}

export type Request = Message & { id: string | number; method: string };

/** Whether the message expects a response. */
export function isRequest(message: Message): message is Request {
  return message.method !== undefined && message.id !== undefined && message.id !== null;
}

/** Parses a line. Returns a JSON-RPC error if the line is not a single JSON object. */
export function parseMessage(line: string): { message: Message } | { code: number; reason: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { code: -32700, reason: 'Parse error: each line must be one JSON-RPC message.' };
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { message: value as Message };
  return { code: -32600, reason: 'Invalid Request: send one JSON-RPC message on each line, as an object.' };
}

/**
 * Returns the protocol revision that a message names. Since revision 2026-07-28, every message names its revision. For
 * a message of an earlier revision, returns undefined.
 */
export function revisionOf(message: Message): string | undefined {
  const revision = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  return typeof revision === 'string' ? revision : undefined;
}

const TARGET_FIELD: Readonly<Record<string, 'name' | 'uri'>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** Returns HTTP headers that repeat the method and target of a message, as revision 2026-07-28 requires. */
export function modernHeaders(message: Message, revision: string): Record<string, string> {
  const headers: Record<string, string> = { 'MCP-Protocol-Version': revision, 'Mcp-Method': message.method ?? '' };
  const field = TARGET_FIELD[message.method ?? ''];
  const name = field === undefined ? undefined : message.params?.[field];
  if (typeof name === 'string') headers['Mcp-Name'] = headerValue(name);
  return headers;
}

/**
 * Returns the value unchanged if an HTTP header can contain it, otherwise in Base64 with the prefix that the protocol
 * requires.
 */
function headerValue(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?');
  return isPlain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

const NOT_REPEATABLE = new Set(
  CONTRACTS.filter(({ effect, idempotent }) => effect !== 'read' && idempotent !== true).map(({ tool }) => tool?.name),
);

/** Whether a request that may have run can safely be sent again with the same idempotency key. */
export function isRepeatable(message: Message): boolean {
  return message.method !== 'tools/call' || !NOT_REPEATABLE.has(String(message.params?.name));
}

/**
 * Whether a response says that the console began to restart during the request. The next server continues what the
 * request has begun, and recognizes the repeated request by its idempotency key.
 */
export function saysRestarting({ result, error }: Message): boolean {
  const refusal = ConsoleError.fromBody(result?.isError === true ? bodyIn(result.content) : error?.data);
  return refusal?.details.restarting === true;
}

/** Returns the error body from the content of a failed tool call. The body follows the first line of the text. */
function bodyIn(content: unknown): unknown {
  const [first] = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
  const text = typeof first?.text === 'string' ? first.text : '';
  try {
    return JSON.parse(text.slice(text.indexOf('\n') + 1));
  } catch {
    return undefined;
  }
}

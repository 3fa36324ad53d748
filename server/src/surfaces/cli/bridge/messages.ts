import { CONTRACTS } from '@agent-console/shared/operations/table';

/** A JSON-RPC message as far as a bridge looks into it. */
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
  result?: { protocolVersion?: unknown };
  error?: unknown;
}

export type Request = Message & { id: string | number; method: string };

/** Whether somebody waits for an answer to it. */
export function isRequest(message: Message): message is Request {
  return message.method !== undefined && message.id !== undefined && message.id !== null;
}

/** The message on one line, or the error that answers it where there is no single JSON object. */
export function parseMessage(line: string): { message: Message } | { code: number; why: string } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { code: -32700, why: 'Parse error: each line must be one JSON-RPC message.' };
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { message: value as Message };
  return { code: -32600, why: 'Invalid Request: send one JSON-RPC message on each line, as an object.' };
}

/** The 2026 revision that a message claims to follow; undefined for one of the 2025 era. */
export function revisionOf(message: Message): string | undefined {
  const claimed = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  return typeof claimed === 'string' ? claimed : undefined;
}

const NAMED_BY: Readonly<Record<string, 'name' | 'uri'>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** The headers by which HTTP repeats what a message of the 2026 era says. */
export function modernHeaders(message: Message, revision: string): Record<string, string> {
  const headers: Record<string, string> = { 'MCP-Protocol-Version': revision, 'Mcp-Method': message.method ?? '' };
  const field = NAMED_BY[message.method ?? ''];
  const name = field === undefined ? undefined : message.params?.[field];
  if (typeof name === 'string') headers['Mcp-Name'] = headerValue(name);
  return headers;
}

/** A value as it is where a header can carry it, else in the protocol's own envelope of Base64. */
function headerValue(value: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?');
  return plain ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}

const ONCE_ONLY = new Set(
  CONTRACTS.filter(({ effect, idempotent }) => effect !== 'read' && idempotent !== true).map(({ tool }) => tool?.name),
);

/** Whether a request that may have run already can be made again under the same key. */
export function isRepeatable(message: Message): boolean {
  return message.method !== 'tools/call' || !ONCE_ONLY.has(String(message.params?.name));
}

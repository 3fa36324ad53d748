import { jsonResponse } from '../http/respond.ts';

/** Creates a JSON-RPC error response. `id` is the id of the failed request, or null if there is none. */
export function rpcError(
  status: number,
  code: number,
  message: string,
  data?: unknown,
  id: string | number | null = null,
): Response {
  const error = data === undefined ? { code, message } : { code, message, data };
  return jsonResponse({ jsonrpc: '2.0', error, id }, status);
}

/** Returns the id in a `notifications/cancelled` message, or undefined for any other message. */
export function cancelledId(message: unknown): string | number | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { method, params } = message as { method?: unknown; params?: unknown };
  if (method !== 'notifications/cancelled' || typeof params !== 'object' || params === null) return undefined;
  const { requestId } = params as { requestId?: unknown };
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined;
}

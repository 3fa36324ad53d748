import { ConsoleError, ERRORS } from '@agent-console/shared/errors';

/** Converts any thrown value to an error for the caller. A bug becomes INTERNAL, with the request id. */
export function asConsoleError(error: unknown, requestId: string): ConsoleError {
  if (error instanceof ConsoleError) return error;
  return new ConsoleError(
    'INTERNAL',
    `Internal error. The log of the server has details under request id ${requestId}.`,
    { requestId },
    { cause: error },
  );
}

/** Creates the response to a failed call. The error body is the same for REST, MCP and CLI. */
export function errorResponse(error: unknown, requestId: string): Response {
  const known = asConsoleError(error, requestId);
  const headers: Record<string, string> = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  if (known.code === 'UNAUTHENTICATED') headers['WWW-Authenticate'] = 'Bearer';
  // The rest of an oversized body stays unread, so the connection cannot be reused.
  if (known.code === 'TOO_LARGE') headers.Connection = 'close';
  return new Response(JSON.stringify(known.toBody()), { status: ERRORS[known.code].http, headers });
}

export function jsonResponse(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
  });
}

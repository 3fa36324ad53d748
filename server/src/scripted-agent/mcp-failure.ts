import { ConsoleError } from '@agent-console/shared/errors';

/**
 * Reason why a call has no result. `not-sent`: the server did not accept the call. `broken`: the connection ended
 * before the response, so the call may have run. `answered`: the server responded with an error. `other`: any other
 * reason, e.g. a timeout.
 */
export interface Failure {
  kind: 'not-sent' | 'broken' | 'answered' | 'other';
  message: string;
  cause: unknown;
}

const BROKEN_CONNECTION_CODES = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'CONNECTION_CLOSED', 'SEND_FAILED']);
const CAUSES_MAX = 10;

/** Classifies an error of the MCP client by the codes and the HTTP status in its chain of causes. */
export function classifyFailure(error: unknown): Failure {
  const chain = causes(error);
  const codes = chain.map((one) => one.code);
  const status = chain.map((one) => one.data?.status).find((one) => typeof one === 'number');
  const message = chain[0]?.message ?? String(error);
  if (codes.some((code) => code === 'ECONNREFUSED'))
    return { kind: 'not-sent', message: `the console does not answer (connection refused): ${message}`, cause: error };
  // The console responds with status 503 only if it has not run the call.
  if (status === 503) return { kind: 'not-sent', message: bodyMessage(message), cause: error };
  if (status !== undefined) return { kind: 'answered', message: bodyMessage(message), cause: error };
  if (codes.some((code) => typeof code === 'string' && BROKEN_CONNECTION_CODES.has(code)))
    return { kind: 'broken', message: `the connection broke before the response: ${message}`, cause: error };
  return { kind: codes.some((code) => typeof code === 'number') ? 'answered' : 'other', message, cause: error };
}

interface Link {
  message: string;
  code?: unknown;
  data?: { status?: unknown };
}

function causes(error: unknown): Link[] {
  const found: Link[] = [];
  const queue: unknown[] = [error];
  while (queue.length > 0 && found.length < CAUSES_MAX) {
    const one = queue.shift();
    if (!(one instanceof Error)) continue;
    found.push(one);
    queue.push(one.cause);
    if (one instanceof AggregateError) queue.push(...one.errors);
    const data = (one as Link).data as { cause?: unknown } | undefined;
    queue.push(data?.cause);
  }
  return found;
}

/**
 * Returns the console's own error message if the message of the MCP client quotes the console's response. Otherwise,
 * returns the message of the MCP client.
 */
function bodyMessage(message: string): string {
  const start = message.indexOf('{');
  if (start < 0) return message;
  try {
    const error = ConsoleError.fromBody(JSON.parse(message.slice(start)));
    return error ? `${error.code}: ${error.message}` : message;
  } catch {
    return message;
  }
}

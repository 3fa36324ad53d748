import { ConsoleError } from '@agent-console/shared/errors';
import { currentToken, signOut } from './token.ts';

export interface CallOptions {
  /** Key with which the console performs repeated calls only once, so that a retry is safe if the response was lost. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

interface HttpRequest {
  method: string;
  url: string;
  /** JSON */
  body: string | undefined;
}

/**
 * Sends a request and returns the JSON value of the response.
 * @throws ConsoleError the error of the response, or `BUSY` when the console is unreachable or its response is cut off.
 */
export async function send(
  { method, url, body }: HttpRequest,
  { idempotencyKey, signal }: CallOptions,
): Promise<unknown> {
  const token = currentToken();
  let response: Response | undefined;
  let answer: unknown;
  try {
    response = await fetch(url, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      },
      body: body ?? null,
      signal: signal ?? null,
    });
    answer = await response.json();
  } catch (cause) {
    if (signal?.aborted) throw cause;
    // Any other error than a SyntaxError means that the response is missing or incomplete.
    if (!(cause instanceof SyntaxError)) {
      throw new ConsoleError('BUSY', 'The connection to the console failed. Is `npx agent-console serve` running?');
    }
  }
  if (response?.ok && answer !== undefined) return answer;
  if (response?.status === 401 && token !== null) signOut();
  throw (
    ConsoleError.fromBody(answer) ??
    new ConsoleError('INTERNAL', `Unknown response with status ${response?.status}. Reload the page.`)
  );
}

import { ROUTES } from 'virtual:operation-routes';
import { ConsoleError } from '@agent-console/shared/errors';
import type { OperationName, OutputOf, RequestOf } from '@agent-console/shared/operations/table';
import { currentToken, signOut } from './token.ts';

export interface CallOptions {
  /** Key with which the console performs repeated calls only once, so that a retry is safe if the response was lost. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/**
 * Calls an operation over REST. `input` is the input that the operation's contract defines. If `signal` aborts before
 * the response arrives, rejects with the error of the abort.
 * @throws ConsoleError the error of the response, `INTERNAL` if a failed response contains no error, or `BUSY` when the
 * console is unreachable.
 */
export async function call<N extends OperationName>(
  name: N,
  input: RequestOf<N>,
  { idempotencyKey, signal }: CallOptions = {},
): Promise<OutputOf<N>> {
  const token = currentToken();
  const { method, url, body } = requestOf(name, input as Readonly<Record<string, unknown>>);
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new ConsoleError('BUSY', 'Could not reach the console. Is `npx agent-console serve` running?', {}, { cause });
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as OutputOf<N>;
  if (response.status === 401 && token !== null) signOut();
  throw (
    ConsoleError.fromBody(answer) ??
    new ConsoleError(
      'INTERNAL',
      `The console responded with status ${response.status} and no error message. Reload the page, then try again.`,
    )
  );
}

function requestOf(name: OperationName, input: Readonly<Record<string, unknown>>) {
  const [method = 'GET', path = ''] = ROUTES[name].split(' ');
  const rest = { ...input };
  const filled = path.replace(/:(\w+)/g, (_, field: string) => {
    const value = rest[field];
    delete rest[field];
    return encodeURIComponent(String(value));
  });
  const url = `/api${filled}`;
  if (method !== 'GET' && method !== 'DELETE') return { method, url, body: JSON.stringify(rest) };
  const query = new URLSearchParams();
  for (const [field, value] of Object.entries(rest)) {
    if (value !== undefined) query.set(field, String(value));
  }
  return { method, url: query.size === 0 ? url : `${url}?${query}`, body: undefined };
}

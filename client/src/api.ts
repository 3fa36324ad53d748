import { ConsoleError } from '@agent-console/shared/errors';
import type { OperationName, OutputOf } from '@agent-console/shared/operations/table';

const TOKEN_KEY = 'agent-console.token';

let whenSignedOut: () => void = () => {};

/** Who hears that the token is missing or no longer valid. */
export function onSignedOut(listener: () => void): void {
  whenSignedOut = listener;
}

export function currentToken(): string | null {
  return localStorage.getItem(TOKEN_KEY);
}

export function signIn(token: string): void {
  localStorage.setItem(TOKEN_KEY, token);
}

export function signOut(): void {
  localStorage.removeItem(TOKEN_KEY);
  whenSignedOut();
}

interface Request<N extends OperationName> {
  /** The operation at that address, for the type of its answer. */
  operation: N;
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/**
 * Calls an operation over REST.
 * @throws ConsoleError what the console answered, or RUNNER_UNAVAILABLE's retryable kin `BUSY` when it cannot be reached.
 */
export async function call<N extends OperationName>(request: Request<N>): Promise<OutputOf<N>> {
  const { method, path, body, idempotencyKey, signal } = request;
  const token = currentToken();
  let response: Response;
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (cause) {
    throw new ConsoleError('BUSY', 'The console cannot be reached. Is `agent-console serve` running?', {}, { cause });
  }
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as OutputOf<N>;
  if (response.status === 401 && token !== null) signOut();
  throw ConsoleError.fromBody(answer) ?? new ConsoleError('INTERNAL', `The console answered ${response.status}.`);
}

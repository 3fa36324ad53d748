import { randomUUID } from 'node:crypto';
import { ConsoleError } from '@agent-console/shared/errors';
import {
  CLIENT_CALL_MS,
  CLIENT_RETRY_MS,
  CLIENT_RETRY_PAUSE_MAX_MS,
  CLIENT_RETRY_PAUSE_MS,
} from '@agent-console/shared/limits/calls';
import type { Contract } from '@agent-console/shared/operation';
import { contractOf, type OperationName, type OutputOf, type RequestOf } from '@agent-console/shared/operations/table';

export interface ClientOptions {
  /** Address of the console, for example `http://127.0.0.1:3457`. */
  baseUrl: string;
  /** Bearer token. Without a token, the server identifies the caller by its process. */
  token?: string | undefined;
  /**
   * Whether the client runs inside a worker. There, a refused connection means that the console is restarting, so calls
   * are retried for CLIENT_RETRY_MS. Elsewhere the error is reported immediately.
   */
  insideWorker: boolean;
  /**
   * Whether the client waits for something that outlives restarts of the console, such as the end of a task. If so, and
   * the console was reached once, failed calls that only read are retried for CLIENT_RETRY_MS.
   */
  waits?: boolean;
}

/** Client for the operations of a console. A call that fails rejects with a ConsoleError. */
export interface ConsoleClient {
  readonly baseUrl: string;
  call<N extends OperationName>(name: N, input: RequestOf<N>): Promise<OutputOf<N>>;
  /** Like `call`, for an operation known only by its contract. */
  run(contract: Contract, input: Record<string, unknown>): Promise<unknown>;
}

interface CallRequest {
  url: string;
  init: RequestInit;
  /** Whether the call may be sent again if its response was lost, because it only reads or has an idempotency key. */
  isRepeatable: boolean;
}

export function createClient({ baseUrl, token, insideWorker, waits = false }: ClientOptions): ConsoleClient {
  const base = baseUrl.replace(/\/+$/, '');
  let isReached = false;

  async function run(contract: Contract, input: Record<string, unknown>): Promise<unknown> {
    const request = requestOf(contract, input, base, token, insideWorker);
    const until = performance.now() + CLIENT_RETRY_MS;
    for (let pause = CLIENT_RETRY_PAUSE_MS; ; pause = Math.min(2 * pause, CLIENT_RETRY_PAUSE_MAX_MS)) {
      try {
        const output = await send(request, base);
        isReached = true;
        return output;
      } catch (error) {
        isReached ||= !(error instanceof ConnectionError && error.reported.code === 'RUNNER_UNAVAILABLE');
        const isTransient =
          error instanceof ConnectionError
            ? error.isRepeatable
            : error instanceof ConsoleError && error.code === 'BUSY' && request.isRepeatable;
        const isRetried = isTransient && (insideWorker || (waits && isReached && contract.effect === 'read'));
        if (!isRetried || performance.now() + pause > until) {
          throw error instanceof ConnectionError ? error.reported : error;
        }
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }

  return {
    baseUrl: base,
    run,
    call: (name, input) => run(contractOf(name), input as Record<string, unknown>) as Promise<never>,
  };
}

/** Error for a connection that could not be opened, or that closed before the response. */
class ConnectionError extends Error {
  readonly reported: ConsoleError;
  readonly isRepeatable: boolean;
  constructor(reported: ConsoleError, isRepeatable: boolean) {
    super(reported.message);
    this.reported = reported;
    this.isRepeatable = isRepeatable;
  }
}

function requestOf(
  contract: Contract,
  input: Record<string, unknown>,
  base: string,
  token: string | undefined,
  insideWorker: boolean,
): CallRequest {
  const fields = { ...input };
  const path = contract.rest.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = fields[name];
    delete fields[name];
    if (value === undefined || value === '') {
      throw new ConsoleError('VALIDATION', `${name}: is required`, { field: name });
    }
    return encodeURIComponent(String(value));
  });
  const headers: Record<string, string> = {};
  if (token !== undefined) headers.Authorization = `Bearer ${token}`;
  const ownKey = typeof fields.idempotencyKey === 'string' ? fields.idempotencyKey : undefined;
  delete fields.idempotencyKey;
  const key = ownKey ?? (insideWorker && contract.idempotent === true ? randomUUID() : undefined);
  if (key !== undefined) headers['Idempotency-Key'] = key;
  const { method } = contract.rest;
  const isRepeatable = contract.effect === 'read' || (key !== undefined && contract.idempotent === true);
  if (method === 'GET' || method === 'DELETE') {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) {
      for (const item of Array.isArray(value) ? value : [value])
        if (item !== undefined) query.append(name, String(item));
    }
    const search = query.size === 0 ? '' : `?${query}`;
    return { url: `${base}/api${path}${search}`, init: { method, headers }, isRepeatable };
  }
  headers['Content-Type'] = 'application/json';
  return { url: `${base}/api${path}`, init: { method, headers, body: JSON.stringify(fields) }, isRepeatable };
}

async function send({ url, init, isRepeatable }: CallRequest, base: string): Promise<unknown> {
  let status: number;
  let text: string;
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(CLIENT_CALL_MS) });
    status = response.status;
    text = await response.text();
  } catch (error) {
    throw explainFailure(error, base, isRepeatable);
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new ConsoleError(
      'INTERNAL',
      `${base} returned status ${status} without JSON. Check that Agent Console is running there.`,
      {},
      { cause },
    );
  }
  if (status < 400) return body;
  throw (
    ConsoleError.fromBody(body) ??
    new ConsoleError('INTERNAL', `${base} returned status ${status}. Check that Agent Console is running there.`)
  );
}

function explainFailure(error: unknown, base: string, isRepeatable: boolean): Error {
  const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } };
  if (cause?.message === 'bad port') {
    return new ConsoleError(
      'VALIDATION',
      `The port of ${base} is reserved for another protocol, and HTTP clients refuse to use it. Choose another port.`,
    );
  }
  if (name === 'TimeoutError') {
    return new ConsoleError(
      'TIMEOUT',
      `${base} did not answer within ${CLIENT_CALL_MS / 1000} s. The call may still take effect. Check whether it did before you repeat it.`,
    );
  }
  if (cause?.code === 'ECONNREFUSED' || cause?.code === 'ENOTFOUND' || cause?.code === 'EAI_AGAIN') {
    const reported = new ConsoleError(
      'RUNNER_UNAVAILABLE',
      `No console is running at ${base}. Start one with \`agent-console serve\`, or pass another URL with --url.`,
      {},
      { cause: error },
    );
    return new ConnectionError(reported, cause.code === 'ECONNREFUSED');
  }
  const reported = new ConsoleError(
    'BUSY',
    `The connection to ${base} closed before the response. The console may be restarting. Check whether the call took effect before you repeat it.`,
    {},
    { cause: error },
  );
  return new ConnectionError(reported, isRepeatable);
}

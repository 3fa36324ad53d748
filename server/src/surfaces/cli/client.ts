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
  /** E.g. `http://127.0.0.1:3457`. */
  baseUrl: string;
  /** Sent as bearer; without it the caller is known by its process. */
  token?: string | undefined;
  /**
   * Inside a worker a refused connection is a restart that passes, so calls are repeated for CLIENT_RETRY_MS; a person is
   * told at once.
   */
  insideWorker: boolean;
}

/** The operations of a console, typed by the table. Each rejects with a ConsoleError. */
export interface ConsoleClient {
  readonly baseUrl: string;
  call<N extends OperationName>(name: N, input: RequestOf<N>): Promise<OutputOf<N>>;
  /** The same for an operation known by its contract only. */
  run(contract: Contract, input: Record<string, unknown>): Promise<unknown>;
}

interface Attempt {
  url: string;
  init: RequestInit;
  /** Whether a call that may have run can be made again. */
  repeatable: boolean;
}

export function createClient({ baseUrl, token, insideWorker }: ClientOptions): ConsoleClient {
  const base = baseUrl.replace(/\/+$/, '');

  async function run(contract: Contract, input: Record<string, unknown>): Promise<unknown> {
    const attempt = requestOf(contract, input, base, token, insideWorker);
    const until = performance.now() + (insideWorker ? CLIENT_RETRY_MS : 0);
    for (let pause = CLIENT_RETRY_PAUSE_MS; ; pause = Math.min(2 * pause, CLIENT_RETRY_PAUSE_MAX_MS)) {
      try {
        return await once(attempt, base);
      } catch (error) {
        const passes =
          error instanceof Unreached
            ? error.again
            : error instanceof ConsoleError && error.code === 'BUSY' && attempt.repeatable;
        if (!passes || performance.now() + pause > until) throw error instanceof Unreached ? error.told : error;
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

/** The server was not reached, or hung up before its answer. */
class Unreached extends Error {
  readonly told: ConsoleError;
  readonly again: boolean;
  constructor(told: ConsoleError, again: boolean) {
    super(told.message);
    this.told = told;
    this.again = again;
  }
}

function requestOf(
  contract: Contract,
  input: Record<string, unknown>,
  base: string,
  token: string | undefined,
  insideWorker: boolean,
): Attempt {
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
  const given = typeof fields.idempotencyKey === 'string' ? fields.idempotencyKey : undefined;
  const key = given ?? (insideWorker && contract.idempotent === true ? randomUUID() : undefined);
  if (key !== undefined) headers['Idempotency-Key'] = key;
  const { method } = contract.rest;
  const repeatable = contract.effect === 'read' || (key !== undefined && contract.idempotent === true);
  if (method === 'GET' || method === 'DELETE') {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) {
      for (const item of Array.isArray(value) ? value : [value])
        if (item !== undefined) query.append(name, String(item));
    }
    const search = query.size === 0 ? '' : `?${query}`;
    return { url: `${base}/api${path}${search}`, init: { method, headers }, repeatable };
  }
  headers['Content-Type'] = 'application/json';
  return { url: `${base}/api${path}`, init: { method, headers, body: JSON.stringify(fields) }, repeatable };
}

async function once({ url, init, repeatable }: Attempt, base: string): Promise<unknown> {
  let status: number;
  let text: string;
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(CLIENT_CALL_MS) });
    status = response.status;
    text = await response.text();
  } catch (error) {
    throw explain(error, base, repeatable);
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new ConsoleError(
      'INTERNAL',
      `${base} answered ${status} with something else than JSON; is it an Agent Console?`,
      {},
      { cause },
    );
  }
  if (status < 400) return body;
  throw (
    ConsoleError.fromBody(body) ?? new ConsoleError('INTERNAL', `${base} answered ${status}; is it an Agent Console?`)
  );
}

function explain(error: unknown, base: string, repeatable: boolean): Error {
  const { name, cause } = error as { name?: string; cause?: { code?: string; message?: string } };
  if (cause?.message === 'bad port') {
    return new ConsoleError(
      'VALIDATION',
      `No browser and no fetch talks to the port of ${base}, which belongs to another protocol; choose another.`,
    );
  }
  if (name === 'TimeoutError') {
    return new ConsoleError(
      'TIMEOUT',
      `${base} did not answer within ${CLIENT_CALL_MS / 1000} s. What was asked may still be done: look before you repeat it.`,
    );
  }
  if (cause?.code === 'ECONNREFUSED' || cause?.code === 'ENOTFOUND' || cause?.code === 'EAI_AGAIN') {
    const told = new ConsoleError(
      'RUNNER_UNAVAILABLE',
      `No console answers at ${base}. Start one with \`agent-console serve\`, or name another with --url.`,
      {},
      { cause: error },
    );
    return new Unreached(told, cause.code === 'ECONNREFUSED');
  }
  const told = new ConsoleError(
    'BUSY',
    `The connection to ${base} broke before its answer came; the console may be restarting. Look before you repeat what you asked.`,
    {},
    { cause: error },
  );
  return new Unreached(told, repeatable);
}

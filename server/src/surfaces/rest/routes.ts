import { ConsoleError } from '@agent-console/shared/errors';
import { IDEMPOTENCY_KEY_MAX_CHARS } from '@agent-console/shared/limits/calls';
import type { Contract } from '@agent-console/shared/operation';
import { CONTRACTS, type OperationName } from '@agent-console/shared/operations/table';
import type { Hono } from 'hono';
import type { Call } from '../../domain/call.ts';
import type { Caller } from '../../domain/caller.ts';
import { nearest } from '../../domain/nearest.ts';
import type { Gate } from '../../operations/operation.ts';
import type { PeerConnection } from '../../ports/identity.ts';
import { isJson, parseJson, readBodyOf } from '../http/body.ts';
import {
  connectionOf,
  evidenceOf,
  followDelivery,
  type HttpContext,
  type HttpEnv,
  hasCallerDisconnected,
  type Identify,
} from '../http/context.ts';
import type { Drain } from '../http/drain.ts';
import { errorResponse, jsonResponse } from '../http/respond.ts';
import { fromQuery, takeIdempotencyKey } from '../input.ts';

export interface RestOptions {
  gate: Gate;
  identify: Identify;
  /** Whether a connection comes from a process of another Unix user of this machine. */
  isOtherUser(connection: PeerConnection): Promise<boolean>;
  drain: Drain;
  /** Receives every error that is not a ConsoleError and therefore a bug. */
  onBug: (error: unknown, requestId: string) => void;
}

const PREFIX = '/api';

export function mountRest(app: Hono<HttpEnv>, options: RestOptions): void {
  for (const contract of CONTRACTS) {
    for (const path of pathsOf(contract)) {
      app.on(contract.rest.method, `${PREFIX}${path}`, (c) => serve(c, contract, options));
    }
  }
}

/**
 * Answers requests under `/api` with an unknown path or an unsupported method. Must be mounted after every other route
 * under `/api`.
 */
export function mountRestFallback(app: Hono<HttpEnv>): void {
  app.all(`${PREFIX}/*`, (c) => {
    const { method, path } = c.req;
    const allowed = CONTRACTS.filter((contract) => pathsOf(contract).some((each) => patternOf(each).test(path))).map(
      ({ rest }) => rest.method,
    );
    if (allowed.length > 0) {
      const allow = [...new Set(allowed)].sort();
      const response = errorResponse(
        new ConsoleError('NOT_FOUND', `${path} does not support ${method}. Use ${allow.join(' or ')}.`, { allow }),
        c.get('requestId'),
      );
      response.headers.set('Allow', allow.join(', '));
      return response;
    }
    const known = [...new Set(CONTRACTS.flatMap(pathsOf).map((each) => `${PREFIX}${each}`))];
    const near = nearest(path, known);
    return errorResponse(
      new ConsoleError(
        'NOT_FOUND',
        `${path} does not exist. Nearest: ${near.join(', ')}. All paths: ${PREFIX}/openapi.json`,
        { nearest: near },
      ),
      c.get('requestId'),
    );
  });
}

const pathsOf = ({ rest }: Contract) => [rest.path, ...Object.values(rest.also ?? {})];

function patternOf(path: string): RegExp {
  return new RegExp(`^${PREFIX}${path.replace(/:\w+/g, '[^/]+')}$`);
}

async function serve(c: HttpContext, contract: Contract, options: RestOptions): Promise<Response> {
  const requestId = c.get('requestId');
  const { incoming, outgoing } = c.env;
  const { delivered, replaced } = followDelivery(outgoing);
  try {
    const { gate } = options;
    const caller = await options.identify(evidenceOf(incoming));
    const isFromOtherUser = () => options.isOtherUser(connectionOf(incoming.socket));
    const call: Call = { caller, surface: 'rest', signal: c.req.raw.signal, isFromOtherUser, delivered };
    const startedAt = performance.now();
    const refuse = async (error: unknown): Promise<never> => {
      await gate.refused(contract.name, error, call, startedAt);
      throw error;
    };
    const { input, key } = await inputOf(c, contract, caller).catch(refuse);
    const output = await options.drain.call(outgoing, async () => {
      if (contract.effect !== 'read' && (await hasCallerDisconnected(incoming))) {
        await refuse(new ConsoleError('TIMEOUT', 'The caller disconnected before the call started; nothing was done.'));
      }
      const keyed = key === undefined ? call : { ...call, idempotencyKey: key };
      return gate.run(contract.name as OperationName, input, keyed);
    });
    return jsonResponse(output, statusOf(contract, output));
  } catch (error) {
    replaced();
    if (!(error instanceof ConsoleError)) options.onBug(error, requestId);
    const response = errorResponse(error, requestId);
    // The rest of the body stays unread, so the connection cannot be reused.
    if (!incoming.complete) response.headers.set('Connection', 'close');
    return response;
  }
}

function statusOf({ rest }: Contract, output: unknown): number {
  const isPending =
    rest.acceptedWith !== undefined && typeof output === 'object' && output !== null && rest.acceptedWith in output;
  return isPending ? 202 : (rest.status ?? 200);
}

/** Returns the operation's input from path, query or body, and the idempotency key from its header or from a field. */
async function inputOf(
  c: HttpContext,
  contract: Contract,
  caller: Caller,
): Promise<{ input: unknown; key: string | undefined }> {
  const { incoming } = c.env;
  const path = c.req.param() as Record<string, string>;
  const fromUrl = contract.rest.method === 'GET' || contract.rest.method === 'DELETE';
  const query = new URL(c.req.url).searchParams;
  const text = contract.rest.method === 'GET' ? '' : await readBodyOf(caller, incoming, contract.rest.bodyMaxBytes);
  if (fromUrl && text !== '') {
    throw new ConsoleError(
      'VALIDATION',
      `${contract.rest.method} requests take parameters from the query string, not the body.`,
    );
  }
  const [stray] = fromUrl ? [] : query.keys();
  if (stray !== undefined) {
    throw new ConsoleError(
      'VALIDATION',
      `${stray}: ${contract.rest.method} requests take fields from the body, not the query string.`,
    );
  }
  const fields = fromUrl ? fromQuery(contract, query) : bodyFields(c, text);
  const repeated = Object.keys(path).find((name) => name in fields);
  if (repeated !== undefined) {
    throw new ConsoleError(
      'VALIDATION',
      `${repeated}: is already in the path. Omit it from the ${fromUrl ? 'query' : 'body'}.`,
    );
  }
  const { input, key } = takeIdempotencyKey(contract.input, { ...fields, ...path });
  const header = headerKey(c);
  if (header !== undefined && key !== undefined && header !== key) {
    throw new ConsoleError(
      'VALIDATION',
      'idempotencyKey differs from the Idempotency-Key header. Send only one of them.',
    );
  }
  return { input, key: header ?? key };
}

function bodyFields(c: HttpContext, text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  if (!isJson(c.env.incoming)) {
    throw new ConsoleError('VALIDATION', 'Send the body as JSON, with the header "Content-Type: application/json".');
  }
  const body = parseJson(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ConsoleError('VALIDATION', 'The request body must be a JSON object.');
  }
  return body as Record<string, unknown>;
}

function headerKey(c: HttpContext): string | undefined {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return undefined;
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(key) || key.length > IDEMPOTENCY_KEY_MAX_CHARS) {
    throw new ConsoleError(
      'VALIDATION',
      `Idempotency-Key: must be 1 to ${IDEMPOTENCY_KEY_MAX_CHARS} printable ASCII characters.`,
    );
  }
  return key;
}

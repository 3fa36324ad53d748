import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ConsoleError } from '@agent-console/shared/errors';
import { createMiddleware } from 'hono/factory';
import type { HttpEnv } from './context.ts';
import { errorResponse } from './respond.ts';

export interface GuardOptions {
  /**
   * Returns the ports on which the server is reachable. Called for every request, because a port may be closed while
   * the server runs.
   */
  ports: () => readonly number[];
  /**
   * Additional host names, without port, that requests may use. Loopback names are always allowed. Set only if every
   * caller needs a token.
   */
  extraHosts?: readonly string[];
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
/**
 * Query parameters that could contain a secret. They are rejected, because URLs appear in logs, histories and process
 * lists.
 */
const SECRET_PARAMETERS = ['token', 'access_token', 'sessionToken', 'session_token'];

/**
 * Content security policy: pages load only from this server, run no inline scripts, and cannot be framed. The dashboard
 * shows images of conversations from `blob:` URLs, which only its own scripts can create.
 */
const CONTENT_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * Returns the error for a request whose headers or target are not allowed, or undefined. Every HTTP request and
 * WebSocket upgrade is checked, so that a foreign web page cannot reach the console by its address or by another host
 * name (DNS rebinding).
 */
export function refusalOf(
  headers: IncomingHttpHeaders,
  target: string,
  { ports, extraHosts = [] }: GuardOptions,
): ConsoleError | undefined {
  const { host, origin } = headers;
  const isLoopback = (authority: string) => {
    const [, name = '', port = '80'] = /^(.*?)(?::(\d{1,5}))?$/.exec(authority) ?? [];
    return LOOPBACK.includes(name) && ports().includes(Number(port));
  };
  const authority = host?.toLowerCase() ?? '';
  const isExtra = extraHosts.includes(authority.replace(/:\d{1,5}$/, ''));
  if (!isLoopback(authority) && !isExtra) {
    return new ConsoleError(
      'PERMISSION_DENIED',
      'The Host header does not name this console. Use the address that the console prints.',
    );
  }
  if (origin !== undefined) {
    const [, scheme, page = ''] = /^(https?):\/\/([^/]+)$/.exec(origin.toLowerCase()) ?? [];
    // A page under an extra host name may use https, because a proxy may serve it. Its host and port must equal those
    // in the Host header.
    const isOwn = isExtra ? page === authority : scheme === 'http' && isLoopback(page);
    if (!isOwn)
      return new ConsoleError(
        'PERMISSION_DENIED',
        'Pages of other origins may not call this console. Open the dashboard at the address that the console prints.',
      );
  }
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return new ConsoleError(
      'PERMISSION_DENIED',
      'Pages of other sites may not call this console. Open the dashboard at the address that the console prints.',
    );
  }
  const query = target.indexOf('?');
  const parameters = query < 0 ? undefined : new URLSearchParams(target.slice(query + 1));
  const secret = SECRET_PARAMETERS.find((name) => parameters?.has(name));
  if (secret !== undefined) {
    return new ConsoleError(
      'VALIDATION',
      `Never put a token in a URL (${secret}=). Send "Authorization: Bearer <token>".`,
    );
  }
  return undefined;
}

/**
 * Creates the middleware that rejects requests for which `refusalOf` returns an error, assigns request ids, and sets
 * the security headers that a route did not set.
 */
export function createGuard(options: GuardOptions) {
  return createMiddleware<HttpEnv>(async (c, next) => {
    const requestId = randomUUID();
    c.set('requestId', requestId);
    const { incoming } = c.env;
    const refusal = refusalOf(incoming.headers, incoming.url ?? '', options);
    if (refusal === undefined) await next();
    else c.res = errorResponse(refusal, requestId);
    // The headers are set directly, because `c.header` would copy the body of a finished response into a new response
    // for each header.
    const { headers } = c.res;
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
      if (!headers.has(name)) headers.set(name, value);
    }
    headers.set('X-Request-Id', requestId);
  });
}

import { ConsoleError } from '@agent-console/shared/errors';
import { IdPrefix } from '@agent-console/shared/ids';
import { AfterQuery, WorkerSocketQuery } from '@agent-console/shared/wire';
import * as v from 'valibot';

/** The parsed URL of a WebSocket. Ids may be shortened to a prefix. */
export type Route =
  | { kind: 'app'; after: number | undefined }
  | { kind: 'worker'; sessionId: string; workerId: string; fromOffset: number | undefined; isWatching: boolean };

const Target = v.object({ sessionId: IdPrefix('session'), workerId: IdPrefix('worker') });

/** Parses the URL. @throws NOT_FOUND for an unknown path, VALIDATION for an invalid query. */
export function routeOf(address: string): Route {
  const url = URL.canParse(address, 'http://console') ? new URL(address, 'http://console') : undefined;
  const query = Object.fromEntries(url?.searchParams ?? []);
  if (url?.pathname === '/ws/app') return { kind: 'app', after: check(AfterQuery, query).after };
  const match = /^\/ws\/session\/([^/]+)\/worker\/([^/]+)$/.exec(url?.pathname ?? '');
  if (match === null) {
    throw new ConsoleError(
      'NOT_FOUND',
      'No WebSocket is served here. Use /ws/app or /ws/session/:sessionId/worker/:workerId.',
    );
  }
  const [, sessionId, workerId] = match;
  const target = check(Target, { sessionId, workerId });
  const { fromOffset, watch } = check(WorkerSocketQuery, query);
  return { kind: 'worker', ...target, fromOffset, isWatching: watch !== undefined };
}

/**
 * Parses query or path fields.
 * @throws VALIDATION for an invalid field. The message names the field unless the field may contain a secret.
 */
export function check<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const field = v.getDotPath(issue);
  if (field !== null && /token|auth|key/i.test(field)) {
    throw new ConsoleError('VALIDATION', 'Never put a token in a URL. Send it as a header or in the first frame.');
  }
  throw new ConsoleError('VALIDATION', `${field ?? 'address'}: ${issue.message}`, { field });
}

import { ROUTES } from 'virtual:operation-routes';
import type { OperationName, OutputOf, RequestOf } from '@agent-console/shared/operations/table';
import { type CallOptions, send } from './http.ts';

/**
 * Calls an operation over REST. `input` is the input that the operation's contract defines. If `signal` aborts before
 * the response arrives, rejects with the error of the abort.
 * @throws ConsoleError the error of the response, `INTERNAL` if a failed response contains no error, or `BUSY` when the
 * console is unreachable.
 */
export async function call<N extends OperationName>(
  name: N,
  input: RequestOf<N>,
  options: CallOptions = {},
): Promise<OutputOf<N>> {
  return (await send(requestOf(name, input as Readonly<Record<string, unknown>>), options)) as OutputOf<N>;
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

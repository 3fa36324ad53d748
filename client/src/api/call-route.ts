import { type CallOptions, send } from './http.ts';

/** Calls the operation with this route, such as `GET /sessions/:sessionId`, and returns its output. */
export function callRoute(route: string, input: object, options: CallOptions): Promise<unknown> {
  return send(requestOf(route, input as Readonly<Record<string, unknown>>), options);
}

function requestOf(route: string, input: Readonly<Record<string, unknown>>) {
  const [method = 'GET', path = ''] = route.split(' ');
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

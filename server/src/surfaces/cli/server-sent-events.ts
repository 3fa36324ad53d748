import { ConsoleError } from '@agent-console/shared/errors';
import type { ConsoleAddress } from './find-console.ts';

/** An event of a `text/event-stream`. `data` is null if the server sent only an id. */
interface ServerSentEvent {
  id: string | null;
  event: string | null;
  data: string | null;
}

export async function* serverSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let incomplete = '';
  let fields: Partial<Record<string, string[]>> = {};
  for await (const chunk of body) {
    const lines = (incomplete + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    incomplete = lines.pop() ?? '';
    for (const line of lines) {
      if (line.includes(':')) {
        const colon = line.indexOf(':');
        const name = line.slice(0, colon);
        const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
        fields[name] = [...(fields[name] ?? []), value];
        continue;
      }
      if (line !== '') continue;
      const { id, event, data } = fields;
      fields = {};
      if (id === undefined && data === undefined) continue;
      yield { id: id?.at(-1) ?? null, event: event?.at(-1) ?? null, data: data?.join('\n') ?? null };
    }
  }
}

/**
 * Opens the event stream at a path below `/api`. With a cursor, which is an event id, the stream starts after that
 * event.
 * @throws ConsoleError if the console refuses the request.
 */
export async function openEventStream(
  { baseUrl, token }: ConsoleAddress,
  path: string,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  if (cursor !== undefined) headers['last-event-id'] = cursor;
  const url = `${baseUrl.replace(/\/+$/, '')}/api${path}`;
  const response = await fetch(url, { headers, signal, redirect: 'error' });
  if (response.ok && response.body !== null) return response.body;
  const body: unknown = await response.json().catch(() => undefined);
  throw (
    ConsoleError.fromBody(body) ??
    new ConsoleError(
      'INTERNAL',
      `${url} returned status ${response.status}. Check that Agent Console is running there.`,
    )
  );
}

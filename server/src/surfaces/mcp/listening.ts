import { AsyncLocalStorage } from 'node:async_hooks';
import { ConsoleError } from '@agent-console/shared/errors';
import { InMemoryServerEventBus, type ServerEvent, type ServerEventBus } from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/caller.ts';
import { assertWatchLimit, updateOf, type Watch } from './watching.ts';

interface Listening {
  ends: (() => void)[];
  notify: ((event: ServerEvent) => void) | undefined;
}

/**
 * Implements `subscriptions/listen` of the 2026 revision. Each stream is notified only of the resources that the client
 * named when it opened the stream.
 */
export interface Listeners {
  /**
   * Event bus for the SDK. The SDK subscribes to it for each stream, when `answer` calls `forward` to open the stream.
   */
  bus: ServerEventBus;
  /** Whether a message is a `subscriptions/listen` request. */
  opens(body: unknown): boolean;
  /**
   * Starts watching the resources that the message names, then calls `forward` to answer the message. Resources that
   * the caller may not read are not watched, and are missing in the acknowledgement.
   * @throws LIMIT_EXCEEDED if the message names too many resources.
   */
  answer(body: unknown, caller: Caller, forward: (body: unknown) => Promise<Response>): Promise<Response>;
}

export function createListeners(watch: Watch, onError: (error: unknown) => void): Listeners {
  const current = new AsyncLocalStorage<Listening>();
  const everyone = new InMemoryServerEventBus(onError);

  async function watchAll(uris: readonly string[], caller: Caller, listening: Listening): Promise<string[]> {
    const watched: string[] = [];
    for (const uri of new Set(uris)) {
      try {
        const end = await watch(uri, caller, (changes) =>
          listening.notify?.({ kind: 'resource_updated', uri, params: updateOf(uri, changes) }),
        );
        listening.ends.push(end);
        watched.push(uri);
      } catch (error) {
        if (!(error instanceof ConsoleError)) throw error;
      }
    }
    return watched;
  }

  return {
    bus: {
      publish: (event) => everyone.publish(event),
      subscribe(listener) {
        const listening = current.getStore();
        if (listening !== undefined) listening.notify = listener;
        const leave = everyone.subscribe(listener);
        return () => {
          leave();
          if (listening !== undefined) end(listening);
        };
      },
    },
    opens: (body) => (body as { method?: unknown } | null)?.method === 'subscriptions/listen',
    async answer(body, caller, forward) {
      const uris = namedIn(body);
      if (uris === undefined) return forward(body);
      assertWatchLimit(new Set(uris).size);
      const listening: Listening = { ends: [], notify: undefined };
      try {
        const message = withUris(body, await watchAll(uris, caller, listening));
        return await current.run(listening, () => forward(message));
      } finally {
        // The SDK rejected the message or opened no stream, so no resource needs to be watched.
        if (listening.notify === undefined) end(listening);
      }
    },
  };
}

function end(listening: Listening): void {
  for (const each of listening.ends.splice(0)) each();
}

interface ListenMessage {
  params?: { notifications?: { resourceSubscriptions?: unknown } };
}

/** Returns the URIs that a well-formed message names; undefined for any other message, which the SDK rejects. */
function namedIn(body: unknown): string[] | undefined {
  const uris = (body as ListenMessage).params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) && uris.every((uri) => typeof uri === 'string') ? uris : undefined;
}

function withUris(body: unknown, resourceSubscriptions: readonly string[]): unknown {
  const message = body as Required<ListenMessage>;
  const notifications = { ...message.params.notifications, resourceSubscriptions };
  return { ...message, params: { ...message.params, notifications } };
}

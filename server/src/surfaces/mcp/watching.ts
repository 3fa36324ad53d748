import { ConsoleError } from '@agent-console/shared/errors';
import {
  RESOURCE_SUBSCRIPTIONS_MAX,
  RESOURCE_UPDATE_EVENTS_MAX,
  RESOURCE_UPDATE_PAUSE_MS,
} from '@agent-console/shared/limits/mcp';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Caller } from '../../domain/caller.ts';
import type { EventFilter, EventHub } from '../../ports/events.ts';

/** Events of a resource since its watcher was last notified, oldest first. They do not contain the resource itself. */
export type Changes = Pick<ConsoleEvent, 'seq' | 'at' | 'type' | 'data'>[];

type Notify = (changes: Changes) => void;

/**
 * Starts watching a resource by its URI. Resolves to a function that stops watching. If the caller cannot read the
 * resource, rejects with the error that a read would return.
 */
export type Watch = (uri: string, caller: Caller, notify: Notify) => Promise<() => void>;

/**
 * Returns the parameters of an update notification. They contain the events, because the resource may have changed
 * again by the time the client reads it.
 */
export function updateOf(uri: string, changes: Changes): { uri: string; _meta?: Record<string, unknown> } {
  return changes.length === 0 ? { uri } : { uri, _meta: { 'agent-console/events': changes } };
}

/**
 * Notifies watchers of events. A watcher of an id is notified of each event whose subject or session has this id, if
 * the watcher's caller may see the event.
 */
export interface Watchers {
  add(id: string, caller: Caller, notify: Notify): Promise<() => void>;
  close(): void;
}

export function createWatchers(hub: Pick<EventHub, 'onEvents' | 'filterFor'>): Watchers {
  const watchers = new Map<string, Set<Watcher>>();
  const stop = hub.onEvents((committed) => {
    for (const { event, sessionId } of committed) {
      const { seq, at, type, data } = event;
      const about = new Set([event.subject.id, sessionId ?? '']);
      const change = { event: { seq, at, type, data }, sessionId };
      for (const id of about) for (const watcher of watchers.get(id) ?? []) watcher.push(change);
    }
  });
  return {
    async add(id, caller, notify) {
      const watcher = new Watcher(notify, await hub.filterFor(caller));
      const watchersOfId = watchers.get(id) ?? new Set();
      watchers.set(id, watchersOfId.add(watcher));
      return () => {
        watcher.stop();
        watchersOfId.delete(watcher);
        if (watchersOfId.size === 0) watchers.delete(id);
      };
    },
    close: stop,
  };
}

/** An event about which a watcher was not notified yet, and the session to which the event belongs. */
interface Waiting {
  event: Changes[number];
  sessionId: string | null;
}

/**
 * Calls `notify` immediately with the first change of a resource. Collects further changes, and passes them to `notify`
 * together after a pause.
 */
class Watcher {
  readonly #notify: Notify;
  readonly #filter: EventFilter | undefined;
  #waiting: Waiting[] = [];
  #pause: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(notify: Notify, filter: EventFilter | undefined) {
    this.#notify = notify;
    this.#filter = filter;
  }

  push(change: Waiting): void {
    this.#waiting.push(change);
    if (this.#waiting.length > RESOURCE_UPDATE_EVENTS_MAX) this.#waiting.shift();
    if (this.#pause === undefined) this.#flush();
  }

  stop(): void {
    clearTimeout(this.#pause);
    this.#waiting = [];
    this.#stopped = true;
  }

  #flush(): void {
    this.#pause = undefined;
    if (this.#waiting.length === 0) return;
    const changes = this.#waiting;
    this.#waiting = [];
    this.#pause = setTimeout(() => this.#flush(), RESOURCE_UPDATE_PAUSE_MS);
    this.#pause.unref();
    if (this.#filter === undefined) this.#notify(changes.map(({ event }) => event));
    else void this.#notifyVisible(changes, this.#filter);
  }

  /**
   * Notifies only of the events that the caller may see now, because access may have been lost since they occurred. An
   * event that cannot be checked is dropped.
   */
  async #notifyVisible(changes: readonly Waiting[], filter: EventFilter): Promise<void> {
    const visible = await Promise.all(
      changes.map(({ event, sessionId }) => filter(event, sessionId).catch(() => undefined)),
    );
    const shown = visible.filter((change) => change !== undefined);
    if (shown.length > 0 && !this.#stopped) this.#notify(shown);
  }
}

/** The resources that an MCP session or an SSE connection watches, by URI. */
export interface WatchList {
  readonly uris: readonly string[];
  /**
   * Adds a URI. Adding a URI twice has no effect. Rejects with LIMIT_EXCEEDED if the list is full. If the caller cannot
   * read the resource, rejects with the error that a read would return.
   */
  add(uri: string, caller: Caller): Promise<void>;
  /** Removes a URI. An unknown URI is ignored. */
  remove(uri: string): void;
  /**
   * Sends a notification for each watched resource. Called when a client listens again, because it may have missed
   * changes.
   */
  notifyAll(): void;
  close(): void;
}

export function createWatchList(watch: Watch, notify: (uri: string, changes: Changes) => void): WatchList {
  const ends = new Map<string, () => void>();
  let closed = false;
  return {
    get uris() {
      return [...ends.keys()];
    },
    async add(uri, caller) {
      if (ends.has(uri)) return;
      assertWatchLimit(ends.size + 1);
      const end = await watch(uri, caller, (changes) => notify(uri, changes));
      if (closed || ends.has(uri)) end();
      else ends.set(uri, end);
    },
    remove(uri) {
      ends.get(uri)?.();
      ends.delete(uri);
    },
    notifyAll() {
      for (const uri of ends.keys()) notify(uri, []);
    },
    close() {
      closed = true;
      for (const end of ends.values()) end();
      ends.clear();
    },
  };
}

/** @throws LIMIT_EXCEEDED if a client watches too many resources. */
export function assertWatchLimit(wanted: number): void {
  if (wanted <= RESOURCE_SUBSCRIPTIONS_MAX) return;
  throw new ConsoleError(
    'LIMIT_EXCEEDED',
    `At most ${RESOURCE_SUBSCRIPTIONS_MAX} resources can be watched at once. Unsubscribe from some first.`,
    { limit: 'resourceSubscriptions', value: RESOURCE_SUBSCRIPTIONS_MAX },
    { retryable: false },
  );
}

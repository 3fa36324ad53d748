import { ConsoleError } from '@agent-console/shared/errors';
import {
  RESOURCE_SUBSCRIPTIONS_MAX,
  RESOURCE_UPDATE_EVENTS_MAX,
  RESOURCE_UPDATE_PAUSE_MS,
} from '@agent-console/shared/limits/mcp';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import type { Caller } from '../../domain/caller.ts';
import type { EventFilter, EventHub } from '../../ports/events.ts';

/** What happened to a resource since its watcher was told last, oldest first; the resource itself is for reading. */
export type Changes = Pick<ConsoleEvent, 'seq' | 'at' | 'type' | 'data'>[];

type Tell = (changes: Changes) => void;

/** Begins to watch the resource at a URI; the answer ends that. Rejects with a ConsoleError as reading would. */
export type Watch = (uri: string, caller: Caller, tell: Tell) => Promise<() => void>;

/** Parameters of an update's notification: the events go along, so that a short-lived state is not missed. */
export function updateOf(uri: string, changes: Changes): { uri: string; _meta?: Record<string, unknown> } {
  return changes.length === 0 ? { uri } : { uri, _meta: { 'agent-console/events': changes } };
}

/** Whoever watches an id, told of each event that is about it or belongs to its session, as long as they see that session. */
export interface Watchers {
  add(id: string, caller: Caller, tell: Tell): Promise<() => void>;
  close(): void;
}

export function createWatchers(hub: Pick<EventHub, 'onEvents' | 'filterFor'>): Watchers {
  const watchers = new Map<string, Set<Watcher>>();
  const stop = hub.onEvents((committed) => {
    for (const { event, sessionId } of committed) {
      const { seq, at, type, data } = event;
      const about = new Set([event.subject.id, sessionId ?? '']);
      for (const id of about) for (const watcher of watchers.get(id) ?? []) watcher.push({ seq, at, type, data });
    }
  });
  return {
    async add(id, caller, tell) {
      const watcher = new Watcher(tell, await hub.filterFor(caller));
      const beside = watchers.get(id) ?? new Set();
      watchers.set(id, beside.add(watcher));
      return () => {
        watcher.stop();
        beside.delete(watcher);
        if (beside.size === 0) watchers.delete(id);
      };
    },
    close: stop,
  };
}

/** Tells the first change at once and those that follow quickly together. */
class Watcher {
  readonly #tell: Tell;
  readonly #shows: EventFilter | undefined;
  #waiting: Changes = [];
  #pause: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(tell: Tell, shows: EventFilter | undefined) {
    this.#tell = tell;
    this.#shows = shows;
  }

  push(change: Changes[number]): void {
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
    if (this.#shows === undefined) this.#tell(changes);
    else void this.#tellShown(changes, this.#shows);
  }

  /** Asked when it is told, not when it happened. What cannot be asked about is not told. */
  async #tellShown(changes: Changes, shows: EventFilter): Promise<void> {
    const told = await Promise.all(changes.map((change) => shows(change).catch(() => undefined)));
    const shown = told.filter((change) => change !== undefined);
    if (shown.length > 0 && !this.#stopped) this.#tell(shown);
  }
}

/** The resources that one session or connection watches, by the URIs its client wrote. */
export interface WatchList {
  readonly uris: readonly string[];
  /** Rejects with LIMIT_EXCEEDED, or as reading the resource would. WorkerWatcher twice is watching. */
  add(uri: string, caller: Caller): Promise<void>;
  /** A URI that is not watched is ignored. */
  remove(uri: string): void;
  /** Says of each resource that it may have changed, because nobody listened for a while. */
  tellAll(): void;
  close(): void;
}

export function createWatchList(watch: Watch, tell: (uri: string, changes: Changes) => void): WatchList {
  const ends = new Map<string, () => void>();
  let closed = false;
  return {
    get uris() {
      return [...ends.keys()];
    },
    async add(uri, caller) {
      if (ends.has(uri)) return;
      requireRoom(ends.size + 1);
      const end = await watch(uri, caller, (changes) => tell(uri, changes));
      if (closed || ends.has(uri)) end();
      else ends.set(uri, end);
    },
    remove(uri) {
      ends.get(uri)?.();
      ends.delete(uri);
    },
    tellAll() {
      for (const uri of ends.keys()) tell(uri, []);
    },
    close() {
      closed = true;
      for (const end of ends.values()) end();
      ends.clear();
    },
  };
}

/** LIMIT_EXCEEDED when one client would watch more resources than it may. */
export function requireRoom(wanted: number): void {
  if (wanted <= RESOURCE_SUBSCRIPTIONS_MAX) return;
  throw new ConsoleError(
    'LIMIT_EXCEEDED',
    `At most ${RESOURCE_SUBSCRIPTIONS_MAX} resources can be watched at once. Unsubscribe from some first.`,
    { limit: 'resourceSubscriptions', value: RESOURCE_SUBSCRIPTIONS_MAX },
    { retryable: false },
  );
}

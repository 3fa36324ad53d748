/** Maximum numbers of open connections whose callers are not identified. */
export interface UnidentifiedLimits {
  /** Maximum number of connections of processes that belong to the server's own Unix user. */
  own: number;
  /** Maximum number of all other connections together. */
  others: number;
}

export interface UnidentifiedOptions<T> {
  max: UnidentifiedLimits;
  /**
   * Whether the other end of a connection belongs to a process of the server's own Unix user. Called only when more
   * than `max.others` connections are open.
   */
  isOwnUser(one: T): Promise<boolean>;
  /** Closes a connection, because unidentified callers have more open connections than `max` allows. */
  drop(one: T): void;
}

/** Open connections whose caller is not identified yet. */
export interface Unidentified<T> {
  add(one: T): void;
  /** Removes a connection that was closed or whose caller was identified. */
  remove(one: T): void;
  readonly size: number;
}

/**
 * Limits the connections of unidentified callers. A new connection is never rejected, because its caller has had no
 * time to identify itself; the oldest connection is closed instead. Connections of the server's own Unix user are
 * counted separately, so that other users cannot displace them.
 */
export function createUnidentified<T>({ max, isOwnUser, drop }: UnidentifiedOptions<T>): Unidentified<T> {
  /**
   * Open connections, oldest first. The value says whether the connection belongs to the server's own user; undefined
   * until known.
   */
  const open = new Map<T, boolean | undefined>();
  let shrinking = false;

  const unclassified = () => [...open].flatMap(([one, own]) => (own === undefined ? [one] : []));

  async function classify(one: T): Promise<void> {
    const own = await isOwnUser(one).catch(() => false);
    if (open.has(one)) open.set(one, own);
  }

  async function shrink(): Promise<void> {
    shrinking = true;
    for (let pending = unclassified(); open.size > max.others && pending.length > 0; pending = unclassified()) {
      await Promise.all(pending.map(classify));
      for (const [own, most] of [
        [false, max.others],
        [true, max.own],
      ] as const) {
        const matching = [...open].filter(([, is]) => is === own);
        for (const [one] of matching.slice(0, Math.max(0, matching.length - most))) {
          open.delete(one);
          drop(one);
        }
      }
    }
    shrinking = false;
  }

  return {
    add(one) {
      open.set(one, undefined);
      if (open.size > max.others && !shrinking) void shrink();
    },
    remove: (one) => void open.delete(one),
    get size() {
      return open.size;
    },
  };
}

/** How many may be open at once. */
export interface UnidentifiedLimits {
  /** Of processes of our own Unix user. */
  own: number;
  /** Of everybody else, together. */
  others: number;
}

export interface UnidentifiedOptions<T> {
  max: UnidentifiedLimits;
  /** Whether a process of our own Unix user holds the other end; asked once there are many. */
  isOwnUser(one: T): Promise<boolean>;
  /** Closes one that has to make room. */
  drop(one: T): void;
}

/** What is open although it is not known yet who opened it. */
export interface Unidentified<T> {
  add(one: T): void;
  /** It was closed, or its caller is known now. */
  remove(one: T): void;
  readonly size: number;
}

/**
 * Bounds what callers hold open before they have shown who they are. Nobody is refused for it: the oldest makes room for
 * the newest, which has had no time yet to identify itself. Our own user is counted apart, so that others cannot push
 * out the owner.
 */
export function createUnidentified<T>({ max, isOwnUser, drop }: UnidentifiedOptions<T>): Unidentified<T> {
  /** The oldest first, each with whether it is our own user's, once that was asked. */
  const open = new Map<T, boolean | undefined>();
  let shrinking = false;

  const newcomers = () => [...open].flatMap(([one, own]) => (own === undefined ? [one] : []));

  async function classify(one: T): Promise<void> {
    const own = await isOwnUser(one).catch(() => false);
    if (open.has(one)) open.set(one, own);
  }

  async function shrink(): Promise<void> {
    shrinking = true;
    for (let fresh = newcomers(); open.size > max.others && fresh.length > 0; fresh = newcomers()) {
      await Promise.all(fresh.map(classify));
      for (const [own, most] of [
        [false, max.others],
        [true, max.own],
      ] as const) {
        const those = [...open].filter(([, is]) => is === own);
        for (const [one] of those.slice(0, Math.max(0, those.length - most))) {
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

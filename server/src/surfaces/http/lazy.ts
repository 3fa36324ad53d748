interface Lazy<T> {
  /** Loads the value at the first call. After a failed load, the next call loads it again. */
  get(): Promise<T>;
  /**
   * Waits for a load in progress, but starts none. Resolves to the value, or to undefined if no load was started or the
   * load failed. Never rejects.
   */
  loaded(): Promise<T | undefined>;
}

export function createLazy<T>(load: () => Promise<T>): Lazy<T> {
  let loading: Promise<T> | undefined;
  return {
    get() {
      loading ??= load().catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return loading;
    },
    async loaded() {
      return loading?.catch(() => undefined);
    },
  };
}

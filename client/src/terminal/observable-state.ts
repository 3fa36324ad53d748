/** State that notifies listeners of changes, for `useSyncExternalStore`. */
export class ObservableState<T extends object> {
  readonly #listeners = new Set<() => void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  readonly get = (): T => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Merges a change. Notifies the listeners only if a value differs. */
  set(change: Partial<T>): void {
    const next = { ...this.#value, ...change };
    if (Object.keys(next).every((key) => next[key as keyof T] === this.#value[key as keyof T])) return;
    this.#value = next;
    for (const listener of this.#listeners) listener();
  }
}

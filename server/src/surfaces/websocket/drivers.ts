import { SIZE_HELD_MS } from '@agent-console/shared/limits/connections';

/** A viewer that can become the driver of a terminal. `notify` tells it whether it is now the driver. */
export interface Driver {
  notify(you: boolean): void;
}

/**
 * Decides which viewer is the driver of each terminal. The terminal has the size that its driver sets. The first viewer
 * is the driver until another viewer takes over. When the driver leaves, the viewer that joined earliest becomes the
 * driver.
 */
export class Drivers {
  readonly #present = new Map<string, Driver[]>();
  readonly #driving = new Map<string, Driver>();
  /** Time at which each viewer last typed as the driver, as returned by `#now`. */
  readonly #typedAt = new WeakMap<Driver, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Adds a viewer that may type. Returns whether this viewer is now the driver. */
  join(workerId: string, viewer: Driver): boolean {
    this.#present.set(workerId, [...(this.#present.get(workerId) ?? []), viewer]);
    if (!this.#driving.has(workerId)) this.#driving.set(workerId, viewer);
    return this.isDriving(workerId, viewer);
  }

  isDriving(workerId: string, viewer: Driver): boolean {
    return this.#driving.get(workerId) === viewer;
  }

  /** Records that the viewer has typed, if it is the driver. */
  typed(workerId: string, viewer: Driver): void {
    if (this.isDriving(workerId, viewer)) this.#typedAt.set(viewer, this.#now());
  }

  /** Makes the viewer the driver, unless another driver has typed within the last SIZE_HELD_MS milliseconds. */
  takeIfIdle(workerId: string, viewer: Driver): void {
    const driving = this.#driving.get(workerId);
    const typedAt = driving === undefined ? undefined : this.#typedAt.get(driving);
    if (driving === viewer || (typedAt !== undefined && this.#now() - typedAt < SIZE_HELD_MS)) return;
    this.take(workerId, viewer);
  }

  take(workerId: string, viewer: Driver): void {
    const before = this.#driving.get(workerId);
    this.#driving.set(workerId, viewer);
    if (before !== viewer) before?.notify(false);
    viewer.notify(true);
  }

  leave(workerId: string, viewer: Driver): void {
    const rest = (this.#present.get(workerId) ?? []).filter((other) => other !== viewer);
    if (rest.length > 0) this.#present.set(workerId, rest);
    else this.#present.delete(workerId);
    if (!this.isDriving(workerId, viewer)) return;
    const next = rest[0];
    if (next === undefined) {
      this.#driving.delete(workerId);
      return;
    }
    this.#driving.set(workerId, next);
    next.notify(true);
  }
}

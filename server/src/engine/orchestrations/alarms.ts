/** One timer for each orchestration, which fires at the earliest time for which it was set. */
export interface Alarms {
  /** @param at milliseconds since the epoch; null is ignored. */
  set(orchestrationId: string, at: number | null): void;
  close(): void;
}

/** The longest delay of setTimeout. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function createAlarms(now: () => Date, fire: (orchestrationId: string) => void): Alarms {
  const timers = new Map<string, { at: number; timer: NodeJS.Timeout }>();
  return {
    set(orchestrationId, at) {
      if (at === null) return;
      const pending = timers.get(orchestrationId);
      if (pending !== undefined && pending.at <= at) return;
      clearTimeout(pending?.timer);
      const delay = Math.min(Math.max(at - now().getTime(), 1), MAX_TIMER_MS);
      const timer = setTimeout(() => {
        timers.delete(orchestrationId);
        fire(orchestrationId);
      }, delay);
      timer.unref();
      timers.set(orchestrationId, { at, timer });
    },
    close() {
      for (const { timer } of timers.values()) clearTimeout(timer);
    },
  };
}

import { KEYS_REMEMBERED } from '@agent-console/shared/limits/typing';

/** Tracks the last key press in each worker, including keys that leave no text in the line, such as arrows. */
export interface KeyTimes {
  typed(workerId: string): void;
  /** Returns the time of the last key press in a worker, in milliseconds since the epoch; 0 if none is remembered. */
  lastAt(workerId: string): number;
}

export function createKeyTimes({ now }: { now: () => Date }): KeyTimes {
  /** Times of the last key press by worker id. The worker with the oldest key press comes first. */
  const times = new Map<string, number>();
  return {
    typed(workerId) {
      times.delete(workerId);
      times.set(workerId, now().getTime());
      const [oldest] = times.keys();
      if (times.size > KEYS_REMEMBERED && oldest !== undefined) times.delete(oldest);
    },
    lastAt: (workerId) => times.get(workerId) ?? 0,
  };
}

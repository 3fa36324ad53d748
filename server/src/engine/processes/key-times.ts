import { KEYS_REMEMBERED } from '@agent-console/shared/limits/typing';

/** Time of the last key press at each worker, including keys that leave no text in the line, such as arrows. */
export interface KeyTimes {
  typed(workerId: string): void;
  /** Milliseconds since the epoch; 0 if nobody has typed since the server started, or only long ago. */
  lastAt(workerId: string): number;
}

export function createKeyTimes({ now }: { now: () => Date }): KeyTimes {
  /** Ordered by last key press, oldest first. */
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

import { KEYS_REMEMBERED } from '@agent-console/shared/limits/typing';

/** When people last typed at each worker, also keys that leave nothing in its line, such as arrows. */
export interface KeyTimes {
  typed(workerId: string): void;
  /** Milliseconds since the epoch; 0 when nobody has since the server began, or long ago. */
  lastAt(workerId: string): number;
}

export function createKeyTimes({ now }: { now: () => Date }): KeyTimes {
  /** The longest untouched first. */
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

import { useSyncExternalStore } from 'react';
import { formatAge } from './format-age.ts';

const EVERY_MS = 5_000;

const listeners = new Set<() => void>();
let now = Date.now();
let timer: number | undefined;

/** One interval updates all ages on the page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the current time in milliseconds since the epoch; updates every few seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

export function Age({ since, className }: { since: string; className?: string }) {
  const at = Math.max(useNow(), Date.parse(since));
  return (
    <time className={className} dateTime={since} title={new Date(since).toLocaleString()}>
      {formatAge(since, at)}
    </time>
  );
}

import { setTimeout as delay } from 'node:timers/promises';

/** Settles like `work` if `work` settles within `ms` milliseconds, otherwise with the result of `late`. */
export async function within<T, Late>(work: Promise<T>, ms: number, late: () => Late): Promise<T | Late> {
  const timer = new AbortController();
  try {
    return await Promise.race([work, delay(ms, undefined, { signal: timer.signal }).then(late)]);
  } finally {
    timer.abort();
  }
}

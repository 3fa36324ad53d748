import type { ConsoleError } from '@agent-console/shared/errors';

/** Waits for `work` for up to `ms` milliseconds, then rejects with `late()`. `work` is not stopped. */
export async function withTimeout<T>(work: Promise<T>, ms: number, late: () => ConsoleError): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** An abort signal with a time limit. `release` stops the timer and the listener. */
export interface Deadline {
  signal: AbortSignal;
  release(): void;
}

/**
 * Creates a signal that aborts with `other` or after `ms` milliseconds. `AbortSignal.any([other,
 * AbortSignal.timeout(ms)])` is not used, because in Node 20 nothing references the timeout's signal: once it was
 * garbage-collected, the combined signal never aborts.
 */
export function withDeadline(other: AbortSignal, ms: number): Deadline {
  const own = new AbortController();
  const timer = setTimeout(end, ms);
  function release(): void {
    clearTimeout(timer);
    other.removeEventListener('abort', end);
  }
  function end(): void {
    release();
    own.abort();
  }
  if (other.aborted) end();
  else other.addEventListener('abort', end, { once: true });
  return { signal: own.signal, release };
}

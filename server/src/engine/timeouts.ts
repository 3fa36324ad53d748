import type { ConsoleError } from '@agent-console/shared/errors';

/**
 * Waits for `work`, but only for `ms` milliseconds: then the wait ends with the error and the work goes on.
 * @throws what the work rejects with, or `late()`.
 */
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

/** A signal, and how to let go of what it holds. */
export interface Deadline {
  signal: AbortSignal;
  release(): void;
}

/**
 * A signal that aborts with another one or after `ms` milliseconds, whichever comes first. `AbortSignal.any` over
 * `AbortSignal.timeout` would not do: in Node 20 nothing holds the timer's signal, so that once it is collected as
 * garbage the pair never aborts.
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

/** An abort signal with a time limit. `release` stops the timer and the listener. */
export interface Deadline {
  signal: AbortSignal;
  release(): void;
}

/**
 * Creates a signal that aborts with `other`, for the same reason, or with a TimeoutError after `ms` milliseconds.
 * `AbortSignal.any([other, AbortSignal.timeout(ms)])` is not used, because in Node 20 nothing references the timeout's
 * signal: once it was garbage-collected, the combined signal never aborts.
 */
export function withDeadline(other: AbortSignal | undefined, ms: number): Deadline {
  const own = new AbortController();
  const timer = setTimeout(() => end(new DOMException(`Aborted after ${ms} ms`, 'TimeoutError')), ms);
  const follow = () => end(other?.reason);
  function release(): void {
    clearTimeout(timer);
    other?.removeEventListener('abort', follow);
  }
  function end(reason: unknown): void {
    release();
    own.abort(reason);
  }
  if (other?.aborted) follow();
  else other?.addEventListener('abort', follow, { once: true });
  return { signal: own.signal, release };
}

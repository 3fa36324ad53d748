/** A signal, and how to let go of what it holds. */
export interface Limited {
  signal: AbortSignal;
  release(): void;
}

/**
 * A signal that aborts with another one or after `ms` milliseconds, whichever comes first. `AbortSignal.any` over
 * `AbortSignal.timeout` would not do: in Node 20 nothing holds the timer's signal, so that once it is collected as
 * garbage the pair never aborts.
 */
export function limited(other: AbortSignal, ms: number): Limited {
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

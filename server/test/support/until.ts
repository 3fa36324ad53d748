import { setTimeout as delay } from 'node:timers/promises';

const LIMIT_MS = 150_000;
const FIRST_PAUSE_MS = 10;
/**
 * Maximum pause between two calls of `look` in milliseconds: short enough to notice short-lived states, and long enough
 * not to slow down the code that is waited for.
 */
const LAST_PAUSE_MS = 50;

/**
 * Waits until `look` returns something other than undefined or false, and returns that. For conditions that cause no
 * event. The pause between two calls of `look` is a third of the time waited so far, at least 10 ms and at most 50 ms.
 * Throws after 150 s. Also works while a test fakes the timers of its process.
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const began = performance.now();
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    const waited = performance.now() - began;
    if (waited > LIMIT_MS) throw new Error(`waited ${LIMIT_MS / 1_000} s for ${what}`);
    const pause = Math.min(LAST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, waited / 3));
    await delay(pause);
  }
}

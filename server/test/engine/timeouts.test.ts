import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { withDeadline } from '../../src/engine/scheduling/timeouts.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Waits for the deadline like a caller that keeps only the promise and no reference to the signal. */
function ends(other: AbortSignal, ms: number): Promise<string> {
  const { signal } = withDeadline(other, ms);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('ended'), { once: true }));
}

it('a deadline still aborts after a garbage collection', async () => {
  const ended = ends(new AbortController().signal, 50);
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(await ended).toBe('ended');
});

it('a deadline aborts with its parent signal, and at once if that has already aborted', async () => {
  const other = new AbortController();
  const ended = ends(other.signal, 2 ** 30);
  other.abort();
  expect(await ended).toBe('ended');
  expect(withDeadline(other.signal, 2 ** 30).signal.aborted).toBe(true);
});

it('a released deadline does not abort', () => {
  const other = new AbortController();
  const { signal, release } = withDeadline(other.signal, 2 ** 30);
  release();
  other.abort();
  expect(signal.aborted).toBe(false);
});

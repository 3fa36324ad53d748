import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { withDeadline } from '@agent-console/shared/deadline';
import { ConsoleError } from '@agent-console/shared/errors';
import { expect, it } from 'vitest';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/**
 * Waits for the deadline like a caller that keeps the promise but no reference to the signal, which could therefore be
 * garbage-collected.
 */
function ends(other: AbortSignal | undefined, ms: number): Promise<string> {
  const { signal } = withDeadline(other, ms);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason.name), { once: true }));
}

it('a deadline still aborts after a garbage collection, with the reason of a time limit', async () => {
  const ended = [ends(new AbortController().signal, 50), ends(undefined, 50)];
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(await Promise.all(ended)).toEqual(['TimeoutError', 'TimeoutError']);
});

it('a deadline aborts with its parent signal and its reason, and at once if that has already aborted', async () => {
  const other = new AbortController();
  const ended = ends(other.signal, 2 ** 30);
  other.abort(new ConsoleError('CONFLICT', 'Cancelled.'));
  expect(await ended).toBe('ConsoleError');
  expect(withDeadline(other.signal, 2 ** 30).signal).toMatchObject({ aborted: true, reason: other.signal.reason });
});

it('a released deadline does not abort', () => {
  const other = new AbortController();
  const { signal, release } = withDeadline(other.signal, 2 ** 30);
  release();
  other.abort();
  expect(signal.aborted).toBe(false);
});

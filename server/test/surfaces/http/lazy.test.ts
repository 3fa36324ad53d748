import { expect, it } from 'vitest';
import { createLazy } from '../../../src/surfaces/http/lazy.ts';

it('loads once, and again after a failed load', async () => {
  const failures = ['too many open files'];
  let loads = 0;
  const lazy = createLazy(async () => {
    loads += 1;
    const failure = failures.pop();
    if (failure !== undefined) throw new Error(failure);
    return { loads };
  });
  expect(await lazy.loaded()).toBe(undefined);
  const failing = [lazy.get(), lazy.get()];
  // A stop of the server calls `loaded`, which must not reject if the load fails.
  expect(await lazy.loaded()).toBe(undefined);
  for (const each of await Promise.allSettled(failing)) expect(each).toMatchObject({ status: 'rejected' });
  expect(await Promise.all([lazy.get(), lazy.get(), lazy.loaded()])).toEqual([
    { loads: 2 },
    { loads: 2 },
    { loads: 2 },
  ]);
  expect(loads).toBe(2);
});

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createRounds } from '../../src/engine/scheduling/rounds.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

/**
 * Creates `Rounds` that call `round`. `ran` contains the id of each call in order, and `errors` the reported errors.
 */
function recording(round: (id: string, count: number) => Promise<boolean> | boolean) {
  const ran: string[] = [];
  const errors: string[] = [];
  const rounds = createRounds({
    now: () => new Date(),
    maxRounds: 5,
    round: async (id) => round(id, ran.push(id)),
    onError: (error, id) => errors.push(`${id}: ${(error as Error).message}`),
  });
  return { rounds, ran, errors };
}

it('repeats rounds until one has nothing left to do, and once more after a call during a round', async () => {
  let during = 0;
  const { rounds, ran } = recording((id, count) => {
    during += 1;
    expect(during).toBe(1);
    if (count === 2) rounds.schedule(id);
    during -= 1;
    return count < 2;
  });
  await Promise.all([rounds.settle('a'), rounds.settle('a')]);
  expect(ran).toEqual(['a', 'a', 'a']);
  await rounds.settle('a');
  expect(ran).toHaveLength(4);
});

it('runs rounds of different ids concurrently', async () => {
  const open: (() => void)[] = [];
  const { rounds, ran } = recording(() => new Promise((resolve) => open.push(() => resolve(false))));
  const both = Promise.all([rounds.settle('a'), rounds.settle('b')]);
  expect(ran).toEqual(['a', 'b']);
  for (const finish of open) finish();
  await both;
});

it('keeps one timer for each id, at the earliest time', async () => {
  const { rounds, ran } = recording(() => false);
  rounds.scheduleAt('a', START + 50);
  rounds.scheduleAt('a', START + 20);
  rounds.scheduleAt('a', START + 80);
  rounds.scheduleAt('b', null);
  await vi.advanceTimersByTimeAsync(19);
  expect(ran).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ran).toEqual(['a']);
});

it('waits for a time far away, also while the machine sleeps, in which timers stand still', async () => {
  const { rounds, ran } = recording(() => false);
  rounds.scheduleAt('a', START + 8 * 3_600_000);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(ran).toEqual([]);
  vi.setSystemTime(START + 9 * 3_600_000);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ran).toEqual(['a']);
});

it('does not run after it was closed', async () => {
  const { rounds, ran } = recording(() => false);
  rounds.scheduleAt('a', START + 3_600_000);
  await rounds.close();
  await vi.advanceTimersByTimeAsync(4_000_000);
  expect(ran).toEqual([]);
});

it('reports and repeats rounds that fail, and stops rounds that never end', async () => {
  const { rounds, ran, errors } = recording((id, count) => {
    if (count === 1) throw new Error('the disk is full');
    return id === 'endless';
  });
  await rounds.settle('a');
  expect(errors).toEqual(['a: the disk is full']);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ran).toEqual(['a', 'a']);
  await rounds.settle('endless');
  expect(ran).toHaveLength(7);
  expect(errors[1]).toBe('endless: the work is not finished after 5 rounds without waiting, which indicates a bug');
});

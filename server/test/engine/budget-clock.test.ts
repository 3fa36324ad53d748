import { uuidv7 } from 'uuidv7';
import { afterEach, expect, it, vi } from 'vitest';
import { createBudgetClock } from '../../src/engine/budgets/clock.ts';
import { sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('asks when a budget of time is used up, also while the machine sleeps, in which timers stand still', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.parse('2026-01-01T00:00:00Z') });
  const { storage, close } = openStorage();
  const deps = { now: () => new Date(), newId: uuidv7 };
  const sessionId = uuidv7();
  await storage.write({ actor: 'system' }, async (tx) => {
    await tx.sessions.insert(sessionRow(sessionId, { budget: { wallSeconds: 8 * 3_600 } }));
    await tx.tasks.insert(
      taskRow(uuidv7(), sessionId, 'Work', { status: 'running', startedAt: deps.now().toISOString() }),
    );
  });
  const errors: unknown[] = [];
  const clock = createBudgetClock({
    ...deps,
    storage,
    hub: { onEvents: () => () => {} },
    onError: (error) => errors.push(error),
  });
  await clock.recover();
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), { interval: 1 });
  vi.setSystemTime('2026-01-01T09:00:00Z');
  vi.advanceTimersByTime(60_000);
  await vi.waitFor(async () => expect(await storage.read.approvals.find({ sessionId })).toHaveLength(1), {
    interval: 1,
  });
  expect(errors).toEqual([]);
  await clock.close();
  close();
});

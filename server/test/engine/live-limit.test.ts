import { afterEach, beforeEach, expect, it } from 'vitest';
import { reachedLiveLimit } from '../../src/engine/sessions/live-limit.ts';
import { createStartingSessions } from '../../src/engine/sessions/starting-sessions.ts';
import { createSettings } from '../../src/engine/settings.ts';
import type { NewRow } from '../../src/ports/rows.ts';
import type { Transaction } from '../../src/ports/storage.ts';
import { sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

let s: ReturnType<typeof openStorage>;
beforeEach(() => {
  s = openStorage();
});
afterEach(() => s.close());

const time = (minute: number) => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;
const write = <T>(work: (tx: Transaction) => Promise<T>) => s.storage.write({ actor: 'user:test' }, work);

/** Stores a session with tasks that were queued at these minutes. */
function waiting(id: string, minutes: number[], over: Partial<NewRow<'sessions'>> = {}) {
  return write(async (tx) => {
    await tx.sessions.insert(sessionRow(id, over));
    for (const minute of minutes) {
      const task = taskRow(`${id}-${minute}`, id, 'work', { status: 'queued', createdAt: time(minute) });
      await tx.tasks.insert(task);
    }
  });
}

/** Returns which of the sessions may start if so many sessions may be live. */
async function mayStart(liveSessions: number, sessionIds: string[]): Promise<string[]> {
  await write((tx) => tx.settings.set('liveSessions', liveSessions));
  const deps = { settings: createSettings(s), startingSessions: createStartingSessions() };
  const reached = await Promise.all(sessionIds.map((id) => reachedLiveLimit(s.storage.read, deps, id)));
  return sessionIds.filter((_, at) => reached[at] === null);
}

it('the sessions that have waited longest start first', async () => {
  await write(async (tx) => {
    await tx.sessions.insert(sessionRow('works'));
    await tx.tasks.insert(taskRow('current', 'works', 'work', { status: 'running' }));
  });
  const idle = { mark: 'paused', pausedBy: 'idle' } as const;
  await waiting('a-last', [5]);
  await waiting('b-first', [9, 1]);
  await waiting('c-second', [2], { ...idle, queueHeld: true });
  await waiting('d-notified', [], idle);
  await waiting('e-held', [0], { queueHeld: true });
  await waiting('f-paused', [0], { mark: 'paused', pausedBy: 'budget' });
  const all = ['a-last', 'b-first', 'c-second', 'd-notified'];
  expect(await mayStart(1, all)).toEqual([]);
  expect(await mayStart(2, all)).toEqual(['b-first']);
  expect(await mayStart(3, all)).toEqual(['b-first', 'c-second']);
  expect(await mayStart(4, all)).toEqual(['a-last', 'b-first', 'c-second']);
  expect(await mayStart(5, all)).toEqual(all);
});

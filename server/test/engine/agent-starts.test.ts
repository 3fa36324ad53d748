import { ConsoleError } from '@agent-console/shared/errors';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SYSTEM } from '../../src/engine/changes/author.ts';
import { createEffects, type EffectDeps } from '../../src/engine/reconciler/effects.ts';
import type { LoadedSession } from '../../src/engine/reconciler/session-state.ts';
import { sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

let s: ReturnType<typeof openStorage>;
beforeEach(() => {
  s = openStorage();
});
afterEach(() => s.close());

it('a task whose session a budget pauses during the start of its agent waits for a higher budget', async () => {
  const { storage } = s;
  await storage.write(SYSTEM, async (tx) => {
    await tx.sessions.insert(sessionRow('child'));
    await tx.tasks.insert(taskRow('work', 'child', 'work', { status: 'running' }));
  });
  const startAgent = async () => {
    await storage.write(SYSTEM, (tx) => tx.sessions.update('child', { mark: 'paused', pausedBy: 'budget' }));
    throw new ConsoleError('CONFLICT', 'This session is paused, so no process is started in it.');
  };
  const deps = { storage, processes: { startAgent }, now: () => new Date(), newId: () => 'id' };
  const loaded = { session: await storage.read.sessions.get('child'), turn: await storage.read.tasks.get('work') };
  await createEffects(deps as unknown as EffectDeps).perform(loaded as LoadedSession, { do: 'startAgent' });
  expect(await storage.read.tasks.get('work')).toMatchObject({ status: 'running', errorMessage: null });
  expect(await storage.read.sessions.get('child')).toMatchObject({ pausedBy: 'budget', queueHeld: false });
});

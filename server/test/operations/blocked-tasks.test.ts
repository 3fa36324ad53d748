import { uuidv7 } from 'uuidv7';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { finishTask } from '../../src/engine/changes/task-changes.ts';
import { createEffects, type EffectDeps } from '../../src/engine/reconciler/effects.ts';
import type { LoadedSession } from '../../src/engine/reconciler/session-state.ts';
import { sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const author = { actor: 'system' };
const deps = { now: () => new Date(), newId: uuidv7 };
const [sessionId, taskId] = [uuidv7(), uuidv7()] as const;

let opened: ReturnType<typeof openStorage>;
beforeEach(() => {
  opened = openStorage();
});
afterEach(() => opened.close());

it('a task that ends while the console finds out that it is blocked is not shown as blocked', async () => {
  const { storage } = opened;
  const loaded = await storage.write(author, async (tx) => {
    const session = await tx.sessions.insert(sessionRow(sessionId));
    const turn = await tx.tasks.insert(taskRow(taskId, sessionId, 'Hello', { status: 'running' }));
    return { session, turn } as LoadedSession;
  });
  const effects = createEffects({ ...deps, storage } as EffectDeps);
  const blocked = async () => (await storage.read.tasks.get(taskId))?.blocked;
  await effects.show(loaded, 'the agent is still starting');
  expect(await blocked()).toBe('the agent is still starting');
  const outcome = { status: 'cancelled', source: 'person', certain: true } as const;
  await storage.write(author, (tx) => finishTask(tx, deps, taskId, outcome));
  await effects.show(loaded, 'the agent is asking a question');
  expect(await blocked()).toBeNull();
});

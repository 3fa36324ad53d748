import { afterEach, beforeEach, expect, it } from 'vitest';
import { SYSTEM } from '../../src/engine/changes/author.ts';
import type { OperationContext } from '../../src/operations/operation.ts';
import { createOrchestrationActions } from '../../src/operations/orchestration-actions.ts';
import { sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

let s: ReturnType<typeof openStorage>;
beforeEach(() => {
  s = openStorage();
});
afterEach(() => s.close());

it('an agent that is ending is kept for a prompt that waits for its end', async () => {
  await s.storage.write(SYSTEM, async (tx) => {
    for (const id of ['prompted', 'idle']) {
      await tx.sessions.insert(sessionRow(id, { mark: 'paused', pausedBy: 'idle' }));
    }
    await tx.tasks.insert(taskRow('task', 'prompted', 'Go on'));
  });
  const actions = createOrchestrationActions(() => ({ storage: s.storage, now: () => new Date() }) as OperationContext);
  expect(await actions.release('prompted')).toEqual({ for: 'task' });
  expect(await actions.release('idle')).toBeNull();
});

import { uuidv7 } from 'uuidv7';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAcp } from '../../src/acp/protocol.ts';
import { finishTask } from '../../src/engine/changes/task-changes.ts';
import { createInputEffects, type InputEffectDeps } from '../../src/engine/reconciler/input-effects.ts';
import type { LoadedSession } from '../../src/engine/reconciler/session-state.ts';
import { sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const at = '2026-01-01T00:00:00.000Z';
const author = { actor: 'system' };
const deps = { now: () => new Date(at), newId: uuidv7 };
const [sessionId, workerId, inputId, taskId] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()] as const;
const CLEAR_LINE = '\x15';

let opened: ReturnType<typeof openStorage>;
beforeEach(() => {
  opened = openStorage();
});
afterEach(() => opened.close());

it('removes a pasted prompt whose task ends just before Enter is pressed', async () => {
  const { storage } = opened;
  const loaded = await storage.write(author, async (tx) => {
    const session = await tx.sessions.insert(sessionRow(sessionId));
    await tx.tasks.insert(taskRow(taskId, sessionId, 'Hello', { status: 'running' }));
    const size = { cols: 80, rows: 24, activitySince: at, createdAt: at };
    const agent = await tx.workers.insert({ id: workerId, sessionId, type: 'agent', state: 'running', ...size });
    const pasted = { id: inputId, workerId, taskId, kind: 'prompt', text: 'Hello', createdAt: at } as const;
    const input = await tx.inputs.insert({ ...pasted, state: 'pasted', pastedOffset: 0 });
    return { session, agent, input } as LoadedSession;
  });
  const typed: string[] = [];
  // Only the dependencies that typing needs.
  const needed: Partial<InputEffectDeps> = {
    ...deps,
    storage,
    runner: {
      async input(_workerId, _inputId, data) {
        typed.push(data.toString());
        return { offset: 0, duplicate: false };
      },
    },
    protocol: createAcp('1.0.0'),
    catalogue: { kindOf: async () => ({ keys: { interrupt: '\x1b', clearLine: CLEAR_LINE } }) as never },
  };
  const { effects } = createInputEffects(needed as InputEffectDeps);
  const outcome = { status: 'cancelled', source: 'system', certain: true } as const;
  await storage.write(author, (tx) => finishTask(tx, deps, taskId, outcome));

  await effects.submit(loaded, inputId);
  expect(typed).toEqual([]);
  await effects.withdraw(loaded, inputId);
  expect(typed).toEqual([CLEAR_LINE]);
  expect(await storage.read.inputs.get(inputId)).toMatchObject({ state: 'dropped' });
});

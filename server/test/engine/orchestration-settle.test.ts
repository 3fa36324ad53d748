import { expect, it } from 'vitest';
import { settleIn } from '../../src/engine/orchestrations/settle.ts';
import { orchestrationRow, sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const AUTHOR = { actor: 'test' };
const START = Date.parse('2026-01-01T00:00:00.000Z');
const at = new Date(START).toISOString();

it('an agent whose task ended after the commits were read is settled by the next call, with its commit', async () => {
  const { storage, close } = openStorage();
  await storage.write(AUTHOR, async (tx) => {
    await tx.sessions.insert(sessionRow('s'));
    await tx.tasks.insert(taskRow('t', 's', 'work', { status: 'completed', certain: true, outcomeSource: 'report' }));
    await tx.orchestrations.insert(orchestrationRow('o', { state: 'running', startedAt: at }));
    await tx.orchestrationAgents.insert({
      id: 'o-a',
      orchestrationId: 'o',
      agentId: 'a',
      role: 'engineer',
      task: 'work',
      state: 'running',
      dependencies: [],
      createdAt: at,
      startedAt: at,
      stage: 0,
      allowFailure: false,
      maxAttempts: 1,
      attempt: 1,
      timeoutSeconds: 60,
      sessionId: 's',
      taskId: 't',
    });
  });
  let count = 0;
  const newId = () => {
    count += 1;
    return `id-${count}`;
  };
  const settle = (commit: string | undefined) =>
    storage.write(AUTHOR, (tx) => settleIn(tx, { now: () => new Date(START), newId }, 'o', () => commit));
  const agent = () => storage.read.orchestrationAgents.get('o-a');

  expect(await settle(undefined)).toMatchObject({ wakeAt: START, agents: [{ state: 'running' }] });
  expect(await agent()).toMatchObject({ state: 'running', commit: null });
  await settle('0123456789abcdef0123456789abcdef01234567');
  expect(await agent()).toMatchObject({
    state: 'completed',
    commit: '0123456789abcdef0123456789abcdef01234567',
  });
  close();
});

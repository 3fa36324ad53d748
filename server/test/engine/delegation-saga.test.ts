import { EventEmitter, once } from 'node:events';
import { ConsoleError } from '@agent-console/shared/errors';
import { expect, it } from 'vitest';
import { createSaga, type SagaDeps } from '../../src/engine/delegations/saga.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const at = '2026-01-01T00:00:00.000Z';

/**
 * Stops the saga while it starts an agent, and makes the start reject with the error of `fail`. Returns the delegation
 * as stored before the start and after the stop, and the reported errors.
 */
async function stopWhileStarting(fail: (storage: Storage) => Promise<never>) {
  const s = openStorage();
  const { storage } = s;
  await storage.write({ actor: 'test' }, async (tx) => {
    await tx.sessions.insert(sessionRow('s', { queueHeld: true }));
    await tx.tasks.insert(taskRow('t', 's', 'work', { status: 'queued' }));
    await tx.delegations.insert({
      id: 'd',
      repositoryId: 'r',
      sessionId: 's',
      workerId: 'w',
      taskId: 't',
      worktreeId: 'tree',
      worktreePath: '/worktrees/tree',
      branch: 'work',
      base: 'main',
      useRemote: false,
      state: 'starting_agent',
      warnings: [],
      answered: true,
      notify: true,
      createdAt: at,
      updatedAt: at,
    });
  });
  const before = await storage.read.delegations.get('d');
  const runner = new EventEmitter();
  const errors: unknown[] = [];
  const unused: unknown = {};
  const saga = createSaga({
    now: () => new Date(at),
    newId: () => 'id',
    storage,
    hub: { onEvents: () => () => {} } as Partial<SagaDeps['hub']> as SagaDeps['hub'],
    maker: unused as SagaDeps['maker'],
    processes: {
      async startAgentAs() {
        runner.emit('starting');
        await once(runner, 'now');
        return fail(storage);
      },
    } as Partial<SagaDeps['processes']> as SagaDeps['processes'],
    onError: (error) => errors.push(error),
  });
  const starting = once(runner, 'starting');
  saga.run('d');
  await starting;
  await saga.close();
  runner.emit('now');
  await saga.idle();
  const after = await storage.read.delegations.get('d');
  s.close();
  return { before, after, errors };
}

it('a stop of the server undoes no delegation whose agent was being started', async () => {
  const { before, after, errors } = await stopWhileStarting(async () => {
    throw new ConsoleError('RUNNER_UNAVAILABLE', 'the connection was closed');
  });
  expect(after).toEqual(before);
  expect(errors).toEqual([]);
});

it('a delegation whose agent fails to start while the server stops has the error of the start', async () => {
  const { after } = await stopWhileStarting(async (storage) => {
    await storage.write({ actor: 'test' }, (tx) => tx.tasks.update('t', { status: 'failed' }));
    throw new ConsoleError('AGENT_UNAVAILABLE', 'no such program');
  });
  expect(after).toMatchObject({ failedStep: 'starting_agent', errorCode: 'AGENT_UNAVAILABLE' });
});

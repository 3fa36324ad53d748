import { afterAll, beforeAll, expect, it } from 'vitest';
import { SYSTEM } from '../../src/engine/changes/author.ts';
import { endOrchestration } from '../../src/engine/orchestrations/changes.ts';
import { orchestrationRow, sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

let s: ReturnType<typeof openStorage>;

// An orchestration that its budget has paused ends. An agent of it has delegated to a session whose agent has not
// started.
beforeAll(async () => {
  s = openStorage();
  const deps = { now: () => new Date(), newId: () => crypto.randomUUID() };
  await s.storage.write(SYSTEM, async (tx) => {
    const run = await tx.orchestrations.insert(
      orchestrationRow('run', { state: 'paused', pausedBy: 'budget', budget: { tokens: 1 } }),
    );
    const attempt = { id: 'attempt', orchestrationId: 'run', agentId: 'a', attempt: 1, sessionId: 'lead', taskId: 't' };
    await tx.orchestrationAttempts.insert({ ...attempt, startedAt: run.createdAt, state: 'completed' });
    await tx.sessions.insert(sessionRow('lead'));
    const paused = { mark: 'paused', pausedBy: 'budget' } as const;
    await tx.sessions.insert(sessionRow('child', { ...paused, createdBySessionId: 'lead' }));
    await tx.tasks.insert(taskRow('work', 'child', 'work', { status: 'running' }));
    const budget = { wallSeconds: 1 };
    const startedAt = new Date(Date.now() - 60_000).toISOString();
    await tx.sessions.insert(
      sessionRow('over', { ...paused, createdBySessionId: 'lead', budget, createdAt: startedAt }),
    );
    await tx.tasks.insert(taskRow('kept', 'over', 'kept', { status: 'running', createdAt: startedAt, startedAt }));
    await endOrchestration(tx, deps, run, { state: 'cancelled', errorMessage: null, notify: false });
  });
});
afterAll(() => s.close());

it('the end of a paused orchestration is an event of each session that its budget had paused', async () => {
  expect(await s.storage.read.sessions.get('child')).toMatchObject({ mark: 'paused', pausedBy: 'idle' });
  expect(await s.storage.read.events.find({ subjectId: 'child', type: 'session.updated' })).toHaveLength(1);
});

it('the end of a paused orchestration ends a task whose agent has not started', async () => {
  expect(await s.storage.read.tasks.get('work')).toMatchObject({ status: 'interrupted' });
});

it('the end of a paused orchestration does not resume a session whose own budget is used up', async () => {
  expect(await s.storage.read.sessions.get('over')).toMatchObject({ mark: 'paused', pausedBy: 'budget' });
  expect(await s.storage.read.tasks.get('kept')).toMatchObject({ status: 'running' });
});

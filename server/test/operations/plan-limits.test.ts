import { DefinedOrchestration } from '@agent-console/shared/definition-file';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStartingSessions } from '../../src/engine/sessions/starting-sessions.ts';
import { createSettings } from '../../src/engine/settings.ts';
import { depthWithinLimits, loadOf } from '../../src/operations/limits.ts';
import type { OperationContext } from '../../src/operations/operation.ts';
import { planOf } from '../../src/operations/orchestration-plan.ts';
import type { RepositoryRow, SessionRow } from '../../src/ports/rows.ts';
import { orchestrationRow, sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

let opened: ReturnType<typeof openStorage>;
let context: OperationContext;
let parent: SessionRow | undefined;

// The parent has one child whose task has ended, and one that an orchestration is about to start.
beforeAll(async () => {
  opened = openStorage({ now: () => new Date(0) });
  const { storage } = opened;
  await storage.write({ actor: 'user:test' }, async (tx) => {
    await tx.sessions.insert(sessionRow('parent'));
    await tx.sessions.insert(sessionRow('done', { createdBySessionId: 'parent' }));
    await tx.tasks.insert(taskRow('ended', 'done', 'work', { status: 'completed' }));
    await tx.sessions.insert(sessionRow('starts', { createdBySessionId: 'parent' }));
    await tx.tasks.insert(taskRow('queued', 'starts', 'work', { status: 'queued' }));
    await tx.orchestrations.insert(orchestrationRow('o', { state: 'running' }));
    await tx.orchestrationAgents.insert({
      id: 'o-a',
      orchestrationId: 'o',
      agentId: 'a',
      role: 'engineer',
      task: 'work',
      state: 'running',
      dependencies: [],
      createdAt: new Date(0).toISOString(),
      stage: 0,
      allowFailure: false,
      maxAttempts: 1,
      timeoutSeconds: 60,
      sessionId: 'starts',
    });
  });
  parent = await storage.read.sessions.get('parent');
  const agent = { id: 'scripted', defaultMode: 'default', permission: (mode: string) => ({ mode }) };
  const catalogue = { choose: async () => agent };
  context = {
    storage,
    settings: createSettings({ storage }),
    catalogue,
    startingSessions: createStartingSessions(),
  } as unknown as OperationContext;
});
afterAll(() => opened.close());

/**
 * Sets the limits. Returns the names of the limits that a plan with one agent mentions (`planned`), and of the limit
 * that would refuse the agent's session (`refused`).
 */
async function limitsWith(limits: { delegationChildren: number; liveSessions: number }) {
  const { storage } = opened;
  await storage.write({ actor: 'user:test' }, async (tx) => {
    for (const [name, value] of Object.entries(limits)) await tx.settings.set(name, value);
  });
  const orchestration = v.parse(DefinedOrchestration, {
    objective: 'More',
    agents: [{ role: 'engineer', task: 'work' }],
  });
  const repository = { id: 'r', defaultBranch: 'main' } as RepositoryRow;
  const plan = await planOf(context, orchestration, repository, parent ?? null);
  const refused = await depthWithinLimits(storage.read, context, parent ?? null).then(
    () => [],
    ({ details }) => [details.limit],
  );
  return { planned: plan.limits.map((text) => /setting (\w+)/.exec(text)?.[1]), refused };
}

it.each([
  ['no limit', { delegationChildren: 2, liveSessions: 2 }, []],
  ['the limit of children with an open task', { delegationChildren: 1, liveSessions: 2 }, ['delegationChildren']],
  ['the limit of live sessions', { delegationChildren: 2, liveSessions: 1 }, ['liveSessions']],
])('a plan names %s that its start would reach', async (_, limits, reached) => {
  expect(await limitsWith(limits)).toEqual({ planned: reached, refused: reached });
});

it('counts a session that a queued prompt resumes once its old agent has ended', async () => {
  const { storage } = opened;
  const { liveSessions: before } = await loadOf(storage.read, context, null);
  await storage.write({ actor: 'user:test' }, async (tx) => {
    for (const [id, session] of Object.entries({
      resumes: { mark: 'paused', pausedBy: 'idle' },
      open: { mark: 'open' },
      // The queues of these sessions wait for a person.
      paused: { mark: 'paused', pausedBy: 'person' },
      held: { mark: 'open', queueHeld: true },
    } as const)) {
      await tx.sessions.insert(sessionRow(id, session));
      await tx.tasks.insert(taskRow(`next of ${id}`, id, 'work', { status: 'queued' }));
    }
  });
  expect((await loadOf(storage.read, context, null)).liveSessions).toBe(before + 2);
});

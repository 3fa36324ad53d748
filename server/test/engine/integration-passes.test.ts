import { EventEmitter, once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { INTEGRATION_ATTEMPTS_MAX } from '@agent-console/shared/limits/orchestrations';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentsOf } from '../../src/engine/orchestrations/changes.ts';
import { createIntegrationPasses } from '../../src/engine/orchestrations/integration-passes.ts';
import { orchestrationRow, sessionRow, taskRow } from '../support/rows.ts';
import { openStorage } from '../support/storage.ts';

const AUTHOR = { actor: 'test' };
const START = Date.parse('2026-01-01T00:00:00.000Z');
const at = new Date(START).toISOString();

let s: ReturnType<typeof openStorage>;
beforeEach(async () => {
  s = openStorage();
  await s.storage.write(AUTHOR, async (tx) => {
    await tx.repositories.insert({
      id: 'r',
      name: 'shop',
      path: '/code/shop',
      commonDir: '/code/shop/.git',
      defaultBranch: 'main',
      worktreesDir: '/worktrees',
      createdAt: at,
    });
    const integrate = { into: 'together', check: false, resolve: false };
    await tx.orchestrations.insert(orchestrationRow('o', { state: 'running', startedAt: at, integrate }));
    await tx.orchestrationAgents.insert({
      id: 'o-a',
      orchestrationId: 'o',
      agentId: 'a',
      role: 'engineer',
      task: 'work',
      state: 'completed',
      dependencies: [],
      createdAt: at,
      stage: 0,
      allowFailure: false,
      maxAttempts: 1,
      timeoutSeconds: 60,
      worktreeId: 'w',
    });
  });
});
afterEach(() => s.close());

/** Stands for actions, git commands and error handlers that the tests must not call. */
const never = async () => {
  throw new Error('not part of this test');
};

type Deps = Parameters<typeof createIntegrationPasses>[0];

function passesWith(actions: Partial<Deps['actions']>, over: Pick<Deps, 'now' | 'rounds'> & Partial<Deps>) {
  return createIntegrationPasses({
    storage: s.storage,
    newId: () => 'new',
    git: { tipOf: never, contains: never },
    ...over,
    actions: {
      prepareTarget: never,
      integrate: never,
      resolve: never,
      continue: never,
      canContinue: never,
      check: never,
      endCheck: never,
      stop: never,
      ...actions,
    },
    onError: (error) => {
      throw error;
    },
  });
}

async function stored() {
  const orchestration = await s.storage.read.orchestrations.get('o');
  if (orchestration === undefined) throw new Error('the row is missing');
  return { orchestration, agents: await agentsOf(s.storage.read, 'o') };
}

it('do not repeat what a pass began before a pause until it has ended', async () => {
  const calls = new EventEmitter();
  let began = 0;
  const passes = passesWith(
    {
      async prepareTarget() {
        began += 1;
        calls.emit('began');
        const [error] = await once(calls, 'end');
        throw error;
      },
    },
    {
      now: () => new Date(START),
      rounds: { schedule: () => calls.emit('schedule'), scheduleAt: () => calls.emit('wake') },
    },
  );
  const first = once(calls, 'began');
  passes.advance(await stored());
  await first;
  const { orchestration, agents } = await stored();
  passes.stop({ ...orchestration, state: 'paused' });
  // `stop` ends the pass at once, although the integration call that the pass began still runs.
  await setImmediate();
  passes.advance({ orchestration, agents });
  await setImmediate();
  expect(began).toBe(1);
  const scheduled = once(calls, 'schedule');
  calls.emit('end', new ConsoleError('CONFLICT', 'the first one'));
  await scheduled;
  const second = once(calls, 'began');
  passes.advance({ orchestration, agents });
  await second;
  const ended = once(calls, 'schedule');
  calls.emit('end', new ConsoleError('CONFLICT', 'the second one'));
  await ended;
  await passes.close();
  expect((await stored()).orchestration.integration).toMatchObject({ state: 'failed', errorMessage: 'the second one' });
});

it('repeat a transient failure at increasing intervals, and then end the integration with it', async () => {
  let now = START;
  let attempts = 0;
  let moved = (_at: number | null) => {};
  const passes = passesWith(
    {
      async prepareTarget() {
        attempts += 1;
        throw new ConsoleError('TIMEOUT', 'git took too long');
      },
    },
    { now: () => new Date(now), rounds: { schedule: () => moved(null), scheduleAt: (_id, time) => moved(time) } },
  );
  /** Runs one pass of the integration. Returns the delay before the next pass, or null after the last one. */
  const pass = async () => {
    const settled = await stored();
    const next = new Promise<number | null>((resolve) => {
      moved = resolve;
    });
    passes.advance(settled);
    const time = await next;
    // The pass ends directly after it has set the timer, so waiting for one turn of the event loop is enough.
    await setImmediate();
    const delay = time === null ? null : time - now;
    now = time ?? now;
    return delay;
  };

  const delays: (number | null)[] = [];
  while (delays.at(-1) !== null) delays.push(await pass());
  await passes.close();
  expect(attempts).toBe(INTEGRATION_ATTEMPTS_MAX);
  const waits = delays.slice(0, -1);
  expect(waits).toEqual([...waits].sort((a, b) => (a ?? 0) - (b ?? 0)));
  expect(new Set(waits).size).toBe(INTEGRATION_ATTEMPTS_MAX - 1);
  expect((await stored()).orchestration.integration).toMatchObject({
    state: 'failed',
    errorMessage: 'git took too long',
  });
});

/** A time at which the limit of the resolving agent is over. */
const late = START + 61_000;

/** Stores conflicts that an agent is resolving. */
async function insertResolver(): Promise<void> {
  const path = '/worktrees/w';
  await s.storage.write(AUTHOR, async (tx) => {
    const worktree = {
      id: 'w',
      repositoryId: 'r',
      kind: 'managed',
      name: 'w',
      path,
      branch: 'a',
      state: 'ready',
    } as const;
    await tx.worktrees.insert({ ...worktree, createdAt: at });
    await tx.sessions.insert(sessionRow('resolver', { orchestrationId: 'o' }));
    await tx.tasks.insert(
      taskRow('t', 'resolver', 'resolve', { status: 'running', sourceKind: 'orchestration', sourceId: 'o' }),
    );
    await tx.integrations.insert({
      ...{ id: 'i', repositoryId: 'r', worktreeId: 'w', strategy: 'merge', branch: 'a', into: 'together' },
      ...{ sourceSha: 'tip', beforeSha: 'base', state: 'conflicts', resolvingSessionId: 'resolver' },
      conflicts: [{ path: 'file', kind: 'content', ours: 'modified', theirs: 'modified' }],
      ...{ createdAt: at, endedAt: at },
    });
  });
}

it('name the time limit of a resolving agent also after a pause while the agent was being stopped', async () => {
  await insertResolver();
  const calls = new EventEmitter();
  const passes = passesWith(
    {
      prepareTarget: async () => s.storage.read.worktrees.get('w').then((row) => row ?? null),
      async stop() {
        const end = { status: 'cancelled', endedAt: new Date(late).toISOString() } as const;
        await s.storage.write(AUTHOR, (tx) => tx.tasks.update('t', end));
        passes.stop({ ...(await stored()).orchestration, state: 'paused' });
      },
    },
    {
      git: { tipOf: async () => 'tip', contains: async () => false },
      now: () => new Date(late),
      rounds: { schedule: () => calls.emit('schedule'), scheduleAt: () => {} },
    },
  );
  const paused = once(calls, 'schedule');
  passes.advance(await stored());
  await paused;
  await setImmediate();
  expect((await stored()).orchestration.integration).toMatchObject({ state: 'running' });
  const ended = once(calls, 'schedule');
  passes.advance(await stored());
  await ended;
  await passes.close();
  expect((await stored()).orchestration.integration).toMatchObject({
    state: 'conflicts',
    errorMessage: expect.stringContaining('did not finish within 60 s'),
  });
});

it('stop no session whose resolution ended just before its time limit, and which has begun another prompt', async () => {
  await insertResolver();
  const calls = new EventEmitter();
  const decided: string[] = [];
  const passes = passesWith(
    {
      prepareTarget: async () => s.storage.read.worktrees.get('w').then((row) => row ?? null),
      async stop(_, decide = async () => 'stop') {
        await s.storage.write(AUTHOR, async (tx) => {
          await tx.tasks.update('t', { status: 'completed', endedAt: new Date(late).toISOString() });
          await tx.tasks.insert(taskRow('next', 'resolver', 'Go on', { status: 'running' }));
        });
        decided.push(await s.storage.write(AUTHOR, decide));
      },
    },
    {
      git: { tipOf: async () => 'tip', contains: async () => false },
      now: () => new Date(late),
      rounds: { schedule: () => calls.emit('end'), scheduleAt: () => calls.emit('end') },
    },
  );
  const ended = once(calls, 'end');
  passes.advance(await stored());
  await ended;
  await passes.close();
  expect(decided).toEqual(['keep']);
  expect((await stored()).orchestration.integration).toMatchObject({ state: 'running' });
});

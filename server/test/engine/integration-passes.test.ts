import { setImmediate } from 'node:timers/promises';
import { ConsoleError } from '@agent-console/shared/errors';
import { INTEGRATION_ATTEMPTS_MAX } from '@agent-console/shared/limits/orchestrations';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentsOf } from '../../src/engine/orchestrations/changes.ts';
import { createIntegrationPasses } from '../../src/engine/orchestrations/integration-passes.ts';
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
    await tx.orchestrations.insert({
      id: 'o',
      workspaceHash: '0123456789abcdef',
      objective: 'Build the shop',
      strategy: 'parallel',
      state: 'running',
      createdAt: at,
      startedAt: at,
      repositoryId: 'r',
      isolation: 'own',
      base: 'main',
      onFailure: 'continue',
      onInterrupted: 'resume',
      acceptUnreported: false,
      roleLimits: {},
      integrate: { into: 'together', check: false, resolve: false },
    });
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

it('repeat a transient failure at increasing intervals, and then end the integration with it', async () => {
  const { storage } = s;
  let now = START;
  let attempts = 0;
  let moved = (_at: number | null) => {};
  const never = async () => {
    throw new Error('not part of this test');
  };
  const passes = createIntegrationPasses({
    storage,
    git: { tipOf: never, contains: never },
    actions: {
      async prepareTarget() {
        attempts += 1;
        throw new ConsoleError('TIMEOUT', 'git took too long');
      },
      integrate: never,
      resolve: never,
      check: never,
      endCheck: never,
      stop: never,
    },
    now: () => new Date(now),
    rounds: { nudge: () => moved(null), wake: (_id, time) => moved(time) },
    onError: (error) => {
      throw error;
    },
  });
  /** Runs one pass. Returns how long the next one has to wait; null after the last one. */
  const pass = async () => {
    const orchestration = await storage.read.orchestrations.get('o');
    if (orchestration === undefined) throw new Error('the row is missing');
    const agents = await agentsOf(storage.read, 'o');
    const next = new Promise<number | null>((resolve) => {
      moved = resolve;
    });
    passes.advance({ orchestration, agents });
    const time = await next;
    // The pass ends directly after it has set the timer.
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
  expect((await storage.read.orchestrations.get('o'))?.integration).toMatchObject({
    state: 'failed',
    errorMessage: 'git took too long',
  });
});

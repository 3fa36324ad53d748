import type { Branch } from '@agent-console/shared/operations/session-prompts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aMoment, isAlive, killServer, randomFrom, SEED } from '../e2e/support/kill.ts';
import { sessionOf, stored } from '../e2e/support/people.ts';
import type { AgentHandle } from '../e2e/support/root.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

const TIMES = process.env.LONG ? 60 : 1;
/**
 * Maximum delay of a kill in milliseconds. A call takes about 50 ms, so some kills come after the call, while the agent
 * gets its prompt.
 */
const LATEST_MS = 400;

let c: TestConsole;
let parent: AgentHandle;
beforeAll(async () => {
  c = await startConsole();
  await c.client.call('settings.update', { liveSessions: 500, delegationChildren: 100 });
  parent = await sessionOf(c, c.client, '@say first words');
});
afterAll(() => c.close());

const childrenOf = async (sessionId: string) => (await c.client.call('sessions.get', { sessionId })).genealogy.children;

describe.each(['spawn', 'fork'] as const)('a %s', (kind) => {
  it(
    'is created at most once if the server is killed meanwhile, and exactly once when the call is repeated',
    async () => {
      const random = randomFrom(SEED + kind.length);
      for (let n = 0; n < TIMES; n += 1) {
        const before = await childrenOf(parent.sessionId);
        const ms = Math.floor(random() * LATEST_MS);
        const { sessionId: of } = parent;
        const input = { sessionId: of, prompt: `@report succeeded ${kind} ${n}`, idempotencyKey: `${kind}-${n}` };
        const ask = () => parent.client.call(`sessions.${kind}`, input) as Promise<Branch>;
        const about = `seed ${SEED}, ${kind} ${n}, killed after ${ms} ms`;
        const first = ask().catch(() => undefined);
        await aMoment(ms);
        await killServer(c);
        const told = await first;
        const atOnce = (await childrenOf(parent.sessionId)).filter((id) => !before.includes(id));
        expect(atOnce.length, about).toBeLessThanOrEqual(1);
        const again = await ask();
        for (const known of [told?.sessionId ?? again.sessionId, ...atOnce]) expect(known, about).toBe(again.sessionId);
        const { taskId, sessionId } = again;
        const task = await c.until('the end of its task', async () => {
          const found = await c.client.call('tasks.get', { taskId });
          return found.endedAt !== null && found;
        });
        expect(task, about).toMatchObject({ status: 'completed', outcomeSource: 'report' });
        expect(
          (await childrenOf(parent.sessionId)).filter((id) => !before.includes(id)),
          about,
        ).toEqual([sessionId]);
        const notices = await c.until('the notice', async () => {
          const { data } = await c.client.call('sessions.notices', { sessionId: parent.sessionId, limit: 500 });
          const own = data.filter((notice) => notice.about.taskId === taskId);
          return own.some(({ state }) => state === 'delivered') && own;
        });
        expect(notices, about).toHaveLength(1);
        await c.client.call('sessions.stop', { sessionId });
      }
    },
    TIMES * 30_000 + 30_000,
  );
});

it('after all these kills there are no orphaned rows or processes', async () => {
  const children = await childrenOf(parent.sessionId);
  expect(children).toHaveLength(2 * TIMES);
  const sessions = stored(c, 'select id from sessions where "removedAt" is null').map(({ id }) => String(id));
  expect(sessions.sort()).toEqual([parent.sessionId, ...children].sort());
  expect(stored(c, 'select 1 from tasks where "sessionId" not in (select id from sessions)')).toEqual([]);
  const tasks = stored(c, `select "sessionId" from tasks where kind = 'prompt'`).map(({ sessionId }) =>
    String(sessionId),
  );
  expect(tasks.sort()).toEqual(sessions);
  const workers = stored(c, 'select pid, state, "sessionId" from workers');
  const living = workers.filter(({ pid }) => pid !== null && isAlive(Number(pid)));
  expect(living).toMatchObject([{ state: 'running', sessionId: parent.sessionId }]);
  expect(workers.filter(({ state }) => state === 'starting' || state === 'lost')).toEqual([]);
});

describe('a call that waits for the work it started', () => {
  it.runIf(process.env.LONG)(
    'reports at its time limit that the work continues',
    async () => {
      const { sessionId } = parent;
      const input = { sessionId, prompt: '@sleep 600000', sync: true };
      const answer = await parent.client.call('sessions.spawn', input);
      expect(answer).toMatchObject({ status: 'running', timedOut: true });
      await c.client.call('sessions.stop', { sessionId: answer.sessionId });
    },
    120_000,
  );
});

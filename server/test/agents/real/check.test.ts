import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI_IDS, CLIS, versionOf } from './harness/clis.ts';
import type { Step } from './harness/model-server.mjs';
import { openWorld, type World } from './world.ts';

const STEPS: readonly Step[] = [
  { when: 'the name alone', text: 'repair-cellar-door', aside: true },
  { when: 'one word OK', text: 'OK', aside: true },
];

for (const agentId of CLI_IDS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    beforeAll(async () => {
      w = await openWorld(STEPS);
    });
    afterAll(() => w.close());

    /**
     * Returns the complete result of the agent's check. Repeats the call while the result is incomplete, because the
     * agent may start slowly.
     */
    async function check(deep: boolean) {
      for (;;) {
        const found = await w.c.client.call('agents.check', { id: agentId, deep });
        if (found.complete) return found;
      }
    }

    it('passes its check, which leaves nothing behind', async () => {
      const { ok, checks } = await check(false);
      const told = JSON.stringify(checks, null, 2);
      expect(ok, told).toBe(true);
      const results = Object.fromEntries(checks.map(({ name, result }) => [name, result]));
      expect(results, told).toMatchObject({
        program: 'yes',
        version: 'yes',
        start: 'yes',
        tools: 'yes',
      });
      expect(w.model.requests.filter((request) => !request.aside)).toEqual([]);
      expect((await w.c.client.call('sessions.list', {})).total).toBe(0);
      expect(readdirSync(join(w.c.home, 'workers'))).toEqual([]);
      expect(existsSync(join(w.c.home, 'scratch')) ? readdirSync(join(w.c.home, 'scratch')) : []).toEqual([]);
    });

    it('answers a prompt when its check includes one', async () => {
      const { checks } = await check(true);
      const login = checks.find(({ name }) => name === 'login');
      expect(login, JSON.stringify(checks, null, 2)).toMatchObject({
        result: 'yes',
        detail: 'The agent answered a prompt.',
      });
    });

    it('names the branch of delegated work', async () => {
      await w.c.client.call('settings.update', { branchNames: 'agent' });
      let made = await w.delegate(agentId, 'Please mend the door of the cellar');
      // On a busy machine, the agent may take too long to propose a branch name, so the test delegates again.
      for (
        let again = 0;
        again < 3 && made.warnings.some((each) => each.includes('did not answer within'));
        again += 1
      ) {
        await w.stopAgents();
        made = await w.delegate(agentId, 'Please mend the door of the cellar');
      }
      expect(made.branch, made.warnings.join('\n')).toBe('ac/repair-cellar-door');
      await w.stopAgents();
    });
  });
}

describe.skipIf(versionOf('gemini') === null)(CLIS.gemini.name, () => {
  let w: World;
  beforeAll(async () => {
    w = await openWorld([], { without: ['GEMINI_API_KEY'] });
  });
  afterAll(() => w.close());

  it('fails its check while it asks for an API key, and gets no prompt that it would store as the key', async () => {
    const { sessionId, taskId } = await w.delegate('gemini', 'hello there');
    const asked = await w.until('a question', async () => {
      const { data } = await w.c.client.call('approvals.list', { sessionId });
      return data[0];
    });
    expect(asked.text).toContain('Enter Gemini API Key');
    expect(await w.c.client.call('tasks.get', { taskId })).toMatchObject({ endedAt: null });
    for (;;) {
      const { complete, ok, checks } = await w.c.client.call('agents.check', { id: 'gemini', deep: false });
      if (!complete) continue;
      const start = checks.find(({ name }) => name === 'start');
      expect({ ok, start }).toMatchObject({ ok: false, start: { result: 'no' } });
      expect(start?.detail).toContain('Enter Gemini API Key');
      break;
    }
    await w.stopAgents();
  });
});

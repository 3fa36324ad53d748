import { networkInterfaces } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ended, heard } from './hands.ts';
import { CLIS, type CliId, versionOf } from './harness/clis.ts';
import { openWorld, type World } from './world.ts';

const AGENTS = ['claude-code', 'codex'] as const satisfies CliId[];

for (const agentId of AGENTS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    beforeAll(async () => {
      w = await openWorld([], { home: 'untrusted' });
    });
    afterEach(() => w.stopAgents());
    afterAll(() => w.close());

    it('asks once whether to trust a folder, which is answered in the console, and then runs its prompt', async () => {
      const first = await w.delegate(agentId, 'hello there');
      const asked = await w.until('a question of trust', async () => {
        const { status } = await w.c.client.call('sessions.get', { sessionId: first.sessionId });
        const { data } = await w.c.client.call('approvals.list', { sessionId: first.sessionId });
        return status === 'awaiting_input' && data[0];
      });
      expect(asked).toMatchObject({ taskId: first.taskId, text: expect.stringMatching(/trust/i) });
      const yes = asked.options.find(({ kind }) => kind === 'allow')?.id ?? '';
      await w.c.client.call('approvals.answer', { approvalId: asked.id, optionId: yes });
      expect(await ended(w, first.taskId)).toMatchObject({ status: 'completed', summary: 'Done.' });
      await heard(w, 'hello there');
      const { data: events } = await w.c.client.call('sessions.events', { sessionId: first.sessionId, limit: 500 });
      expect(events.filter(({ type }) => type === 'approval.requested')).toHaveLength(1);

      // Claude Code stores the answer for the repository, so it does not ask again in the next worktree.
      const second = await w.delegate(agentId, 'hello again');
      expect(await ended(w, second.taskId)).toMatchObject({ status: 'completed', summary: 'Done.' });
      expect((await w.c.client.call('approvals.list', { sessionId: second.sessionId })).total).toBe(0);
    });
  });
}

const claude = versionOf('claude-code');
/**
 * Whether this machine has a network. The test needs a first start that fails, and Claude Code's first start fails only
 * without a network.
 */
const online = Object.values(networkInterfaces()).some((all) => all?.some(({ internal }) => !internal));
describe.skipIf(claude === null || online)(CLIS['claude-code'].name, () => {
  let w: World;
  beforeAll(async () => {
    w = await openWorld([], { home: 'fresh' });
  });
  afterAll(() => w.close());

  it('gives the reason in the error of its task when its first start fails for lack of a network', async () => {
    const { taskId } = await w.delegate('claude-code', 'hello there');
    const { status, error } = await ended(w, taskId);
    expect(status).toBe('failed');
    expect(error?.message).toMatch(
      /exited with code 1 before it accepted the prompt\. Last lines on its screen:\n.*[a-z]{4}/s,
    );
    console.log(error?.message);
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAgentKinds } from '../../../src/agents/kinds.ts';
import { refusal } from '../../support/calling.ts';
import { ended, heard } from './hands.ts';
import { CLI_IDS, CLIS, versionOf } from './harness/clis.ts';
import { saidByUser } from './random-prompts.ts';
import { reporting } from './scripts.ts';
import { openWorld, type World } from './world.ts';

const kindOf = createAgentKinds({ scriptedAgent: '', cli: '' });

for (const agentId of CLI_IDS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);
  const { supportsFork } = kindOf(agentId);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    beforeAll(async () => {
      w = await openWorld(reporting);
    });
    afterEach(() => w.stopAgents());
    afterAll(() => w.close());

    const said = async (text: string) => saidByUser((await heard(w, text)).raw).map((each) => each.trim());
    const attachmentsOf = async (sessionId: string) =>
      (await w.c.client.call('sessions.messages', { sessionId, limit: 100 })).data
        .filter(({ role, kind }) => role === 'user' && kind === 'text')
        .map(({ parts }) => parts.map(({ text }) => String(text).trim()).join());
    const get = (sessionId: string) => w.c.client.call('sessions.get', { sessionId });

    it.runIf(supportsFork)('knows the earlier conversation in a fork, which the original does not notice', async () => {
      const { sessionId, taskId } = await w.delegate(agentId, 'please report as kumquat');
      await ended(w, taskId);
      const before = await w.until('the usage of the first task', async () => {
        const { data } = await w.c.client.call('sessions.messages', { sessionId, limit: 100 });
        const { usage } = await w.c.client.call('tasks.get', { taskId });
        const isOver = data.some(({ role, parts }) => role === 'agent' && parts[0]?.text === 'Done.');
        return isOver && usage !== null && usage.outputTokens === 20 * w.heard('').length && usage;
      });

      const fork = await w.c.client.call('sessions.fork', { sessionId, prompt: 'what was that about' });
      const { usage } = await w.until('the end of its first task', async () => {
        const task = await w.c.client.call('tasks.get', { taskId: fork.taskId });
        return task.endedAt !== null && task.usage !== null && task;
      });
      expect(await said('what was that about')).toEqual(['please report as kumquat', 'what was that about']);
      // The fork does not count the usage of the original session again, so the usage is that of one answer.
      expect(usage).toMatchObject({ inputTokens: 100, outputTokens: 20 });

      const [original, child] = [await get(sessionId), await get(fork.sessionId)];
      expect(child).toMatchObject({
        genealogy: { forkedFromSessionId: sessionId, parentSessionId: null },
        agentId,
        worktreeId: original.worktreeId,
      });
      const prompts = await w.until('the conversation of the fork', async () => {
        const given = await attachmentsOf(fork.sessionId);
        return given.length >= 2 && given;
      });
      expect(prompts).toEqual(['please report as kumquat', 'what was that about']);

      await w.c.client.call('sessions.stop', { sessionId: fork.sessionId });
      const after = await w.c.client.call('sessions.prompt', {
        sessionId: fork.sessionId,
        prompt: 'on with the fork',
      });
      await ended(w, after.taskId);
      const whole = ['please report as kumquat', 'what was that about', 'on with the fork'];
      expect(await said('on with the fork')).toEqual(whole);
      const { usage: more } = await w.until('the usage of its second task', async () => {
        const task = await w.c.client.call('tasks.get', { taskId: after.taskId });
        return task.usage !== null && task;
      });
      expect(more).toMatchObject({ inputTokens: 100, outputTokens: 20 });
      expect(await attachmentsOf(fork.sessionId)).toEqual(whole);

      const next = await w.c.client.call('sessions.prompt', { sessionId, prompt: 'and the original again' });
      await ended(w, next.taskId);
      expect(await said('and the original again')).toEqual(['please report as kumquat', 'and the original again']);
      expect((await w.c.client.call('tasks.get', { taskId })).usage).toEqual(before);
    });

    it.runIf(!supportsFork)('refuses to fork, and creates no session', async () => {
      const { sessionId, taskId } = await w.delegate(agentId, 'please report as kumquat');
      await ended(w, taskId);
      const { total } = await w.c.client.call('sessions.list', {});
      const refused = await refusal(w.c.client.call('sessions.fork', { sessionId, prompt: 'what was that about' }));
      expect(refused).toMatchObject({ code: 'UNSUPPORTED' });
      expect((await w.c.client.call('sessions.list', {})).total).toBe(total);
    });
  });
}

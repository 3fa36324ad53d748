import type { Message } from '@agent-console/shared/models/message';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ended } from './hands.ts';
import { CLI_IDS, CLIS, versionOf } from './harness/clis.ts';
import { reporting } from './scripts.ts';
import { openWorld, type World } from './world.ts';

const textOf = ({ parts }: Message) => parts.map(({ text }) => String(text)).join();

for (const agentId of CLI_IDS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    beforeAll(async () => {
      w = await openWorld([...reporting, { when: 'the (?<animal>[a-z]+) please', text: 'About the {{animal}}.' }]);
    });
    afterEach(() => w.stopAgents());
    afterAll(() => w.close());

    it('has each answer once in the conversation, after its prompt, and its token usage', async () => {
      const { sessionId, taskId } = await w.delegate(agentId, 'please report as cherry');
      await w.until('the end of a task', async () => {
        const { endedAt } = await w.c.client.call('tasks.get', { taskId });
        return endedAt !== null;
      });
      const { usage } = await w.until('the usage of its last answer', async () => {
        const { data } = await w.c.client.call('sessions.messages', { sessionId, limit: 100 });
        const now = await w.c.client.call('tasks.get', { taskId });
        const answers = w.heard('').length;
        return data.some((each) => textOf(each) === 'Done.') && now.usage?.outputTokens === 20 * answers && now;
      });
      // Each answer of the scripted model reports the same usage, so the usage of the session is a multiple of this
      // usage.
      const answers = w.heard('').length;
      expect(answers).toBeGreaterThanOrEqual(2);
      expect(usage).toMatchObject({ inputTokens: 100 * answers, cacheReadTokens: 0, source: 'transcript' });
      const { data: messages } = await w.c.client.call('sessions.messages', { sessionId, limit: 100 });
      const prompts = messages.filter(({ role }) => role === 'user');
      expect(prompts.map((each) => [each.source, textOf(each)])).toEqual([['console', 'please report as cherry']]);
      const said = messages.filter((each) => each.role === 'agent' && textOf(each) === 'I will.');
      expect(said.map(({ source, seq }) => [source, seq > (prompts[0]?.seq ?? 0)])).toEqual([['transcript', true]]);
      expect(messages.filter((each) => each.kind === 'toolCall' && textOf(each).includes('I am cherry'))).toHaveLength(
        1,
      );
      expect(messages.every((each) => each.taskId === taskId)).toBe(true);

      const { taskId: second } = await w.c.client.call('sessions.prompt', { sessionId, prompt: 'and one more' });
      const more = await w.until('the usage of another task', async () => {
        const now = await w.c.client.call('tasks.get', { taskId: second });
        return now.endedAt !== null && now.usage !== null && now;
      });
      expect(more).toMatchObject({ summary: 'Done.', usage: { inputTokens: 100, outputTokens: 20 } });
      expect((await w.c.client.call('tasks.get', { taskId })).usage).toEqual(usage);
    });

    it('has each answer after its own prompt when several prompts are queued', async () => {
      const { sessionId, taskId } = await w.delegate(agentId, 'the walrus please');
      const tasks = [taskId];
      for (const prompt of ['the heron please', 'the otter please'])
        tasks.push((await w.c.client.call('sessions.prompt', { sessionId, prompt })).taskId);
      for (const each of tasks) await ended(w, each);
      const messages = await w.until('all words', async () => {
        const { data } = await w.c.client.call('sessions.messages', { sessionId, limit: 100 });
        const words = data.filter(({ kind }) => kind === 'text').map(textOf);
        return words.length >= 6 && words;
      });
      expect(messages).toEqual([
        'the walrus please',
        'About the walrus.',
        'the heron please',
        'About the heron.',
        'the otter please',
        'About the otter.',
      ]);
    });
  });
}

import type { Message } from '@agent-console/shared/models/message';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ended, heard } from './hands.ts';
import { CLIS, type CliId, versionOf } from './harness/clis.ts';
import { openWorld, type World } from './world.ts';

const AGENTS = ['claude-code', 'codex', 'gemini'] as const satisfies CliId[];
/** Command that starts a new conversation in each agent. */
const ANEW: Readonly<Record<(typeof AGENTS)[number], string>> = {
  'claude-code': '/clear',
  codex: '/new',
  gemini: '/clear',
};

const textOf = ({ parts }: Message) => parts.map(({ text }) => String(text)).join();

for (const agentId of AGENTS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    beforeAll(async () => {
      w = await openWorld([{ when: 'the (?<animal>[a-z]+) please', text: 'About the {{animal}}.' }]);
    });
    afterEach(() => w.stopAgents());
    afterAll(() => w.close());

    const prompt = async (sessionId: string, text: string) =>
      (await w.c.client.call('sessions.prompt', { sessionId, prompt: text })).taskId;

    /**
     * Sends the command that starts a new conversation, and answers the agent's questions about it with the first
     * option.
     */
    async function beginAnew(sessionId: string): Promise<void> {
      const taskId = await prompt(sessionId, ANEW[agentId]);
      await w.until('the end of the command', async () => {
        const { data } = await w.c.client.call('approvals.list', { sessionId });
        const asked = data.find(({ state }) => state === 'pending');
        const first = asked?.options[0]?.id;
        if (asked !== undefined && first !== undefined) {
          await w.c.client.call('approvals.answer', { approvalId: asked.id, optionId: first });
        }
        return (await w.c.client.call('tasks.get', { taskId })).endedAt !== null;
      });
    }

    it('continues a new conversation that a person started in its terminal, also after a pause', async () => {
      const { sessionId, taskId } = await w.delegate(agentId, 'the walrus please');
      await ended(w, taskId);
      await beginAnew(sessionId);
      expect(await ended(w, await prompt(sessionId, 'the heron please'))).toMatchObject({
        summary: 'About the heron.',
      });
      expect((await heard(w, 'the heron please')).raw).not.toContain('the walrus please');
      await w.c.client.call('sessions.pause', { sessionId });
      await w.c.client.call('sessions.resume', { sessionId });
      expect(await ended(w, await prompt(sessionId, 'the otter please'))).toMatchObject({
        summary: 'About the otter.',
      });
      const { raw } = await heard(w, 'the otter please');
      expect(raw).toContain('the heron please');
      expect(raw).not.toContain('the walrus please');
      const { data } = await w.c.client.call('sessions.messages', { sessionId, limit: 100 });
      expect(data.map(textOf)).toEqual([
        'the walrus please',
        'About the walrus.',
        ANEW[agentId],
        'the heron please',
        'About the heron.',
        'the otter please',
        'About the otter.',
      ]);
    });

    if (agentId === 'claude-code')
      it('returns to a conversation that a person resumed in its terminal, also after a pause', async () => {
        const { sessionId, taskId } = await w.delegate(agentId, 'the badger please');
        await ended(w, taskId);
        await beginAnew(sessionId);
        await ended(w, await prompt(sessionId, 'the lynx please'));
        // The id of a session's first conversation is the id of the session.
        await ended(w, await prompt(sessionId, `/resume ${sessionId}`));
        await w.c.client.call('sessions.pause', { sessionId });
        await w.c.client.call('sessions.resume', { sessionId });
        await ended(w, await prompt(sessionId, 'the weasel please'));
        const { raw } = await heard(w, 'the weasel please');
        expect(raw).toContain('the badger please');
        expect(raw).not.toContain('the lynx please');
      });

    it('runs the next prompt if it is paused immediately after the start of a new conversation', async () => {
      const { sessionId, taskId } = await w.delegate(agentId, 'the beaver please');
      await ended(w, taskId);
      await beginAnew(sessionId);
      await w.c.client.call('sessions.pause', { sessionId });
      await w.c.client.call('sessions.resume', { sessionId });
      expect(await ended(w, await prompt(sessionId, 'the stork please'))).toMatchObject({
        summary: 'About the stork.',
      });
    });
  });
}

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CLIS, type CliId, versionOf } from './harness/clis.ts';
import { openWorld, type World } from './world.ts';

/**
 * Questions that each tested agent asks on its first run if it is already logged in. opencode asks none, because it
 * trusts every folder.
 */
const ASKS: Partial<Record<CliId, readonly RegExp[]>> = {
  gemini: [/^Do you trust the files in this folder\?/],
  opencode: [],
};

for (const agentId of Object.keys(ASKS) as CliId[]) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    beforeAll(async () => {
      w = await openWorld([], { home: 'untrusted' });
    });
    afterEach(() => w.stopAgents());
    afterAll(() => w.close());

    /** Answers every question of a session until a task has ended. Returns the questions in order, and the task. */
    async function answering(sessionId: string, taskId: string, kind: 'allow' | 'deny') {
      const asked = new Map<string, string>();
      const task = await w.until('the end of a task', async () => {
        const { data } = await w.c.client.call('approvals.list', { sessionId });
        const { id, text, options } = data.find((each) => !asked.has(each.id) && each.options.length > 1) ?? {};
        const option = options?.find((each) => each.kind === kind);
        if (id !== undefined && option !== undefined) {
          asked.set(id, text ?? '');
          expect(await w.c.client.call('approvals.answer', { approvalId: id, optionId: option.id })).toMatchObject({
            state: 'answered',
          });
        }
        const now = await w.c.client.call('tasks.get', { taskId });
        return now.endedAt !== null && now;
      });
      return { asked: [...asked.values()], task };
    }
    const matching = (patterns: readonly RegExp[]) => patterns.map((pattern) => expect.stringMatching(pattern));

    it('runs the first prompt in an untrusted folder after asking about the folder, and never asks again', async () => {
      const first = await w.delegate(agentId, 'say apple');
      const { asked, task } = await answering(first.sessionId, first.taskId, 'allow');
      expect(task, task.error?.message).toMatchObject({ status: 'completed', summary: 'Done.' });
      expect(asked).toEqual(matching(ASKS[agentId] ?? []));
      expect(w.heard('say apple')).toHaveLength(1);
      expect(w.heard('say apple')[0]?.raw).toContain(`You run in session ${first.sessionId}`);
      const { data: workers } = await w.c.client.call('sessions.workers', { sessionId: first.sessionId });
      expect(workers.filter((worker) => worker.type === 'agent')).toHaveLength(1);
      if (ASKS[agentId]?.length === 0) return;

      // The agent asks again neither after a stop nor in another session in this folder.
      await w.c.client.call('sessions.stop', { sessionId: first.sessionId });
      await w.c.client.call('sessions.resume', { sessionId: first.sessionId });
      const more = await w.c.client.call('sessions.prompt', { sessionId: first.sessionId, prompt: 'say pear' });
      expect(await answering(first.sessionId, more.taskId, 'allow')).toMatchObject({
        asked: [],
        task: { status: 'completed' },
      });
      expect(w.heard('say pear')[0]?.raw).toContain('say apple');
      const { worktreeId } = await w.c.client.call('sessions.get', { sessionId: first.sessionId });
      const given = { worktreeId: worktreeId ?? '', agentId, initialPrompt: 'say plum' };
      const { id: sessionId } = await w.c.client.call('sessions.create', given);
      const [taskId = ''] = (await w.c.client.call('sessions.get', { sessionId })).tasks.map(({ id }) => id);
      expect(await answering(sessionId, taskId, 'allow')).toMatchObject({ asked: [], task: { status: 'completed' } });
      expect(w.heard('say plum')).toHaveLength(1);
    });

    if (agentId !== 'gemini') return;
    it('works without trust if a person refuses it, and has its answers in the conversation', async () => {
      const { sessionId, taskId } = await w.delegate(agentId, 'say cherry');
      const { asked, task } = await answering(sessionId, taskId, 'deny');
      expect(task, task.error?.message).toMatchObject({ status: 'completed', summary: 'Done.' });
      expect(asked).toEqual(matching(ASKS[agentId] ?? []));
      await w.c.client.call('sessions.stop', { sessionId });
      await w.c.client.call('sessions.resume', { sessionId });
      const more = await w.c.client.call('sessions.prompt', { sessionId, prompt: 'say walnut' });
      expect(await answering(sessionId, more.taskId, 'deny')).toMatchObject({ asked: [], task: { summary: 'Done.' } });
      expect(w.heard('say walnut')[0]?.raw).toContain('say cherry');
      const { data } = await w.c.client.call('sessions.messages', { sessionId, limit: 100 });
      expect(data.map(({ role, parts }) => [role, ...parts.map(({ text }) => text)])).toEqual([
        ['user', 'say cherry'],
        ['agent', 'Done.'],
        ['user', 'say walnut'],
        ['agent', 'Done.'],
      ]);
    });
  });
}

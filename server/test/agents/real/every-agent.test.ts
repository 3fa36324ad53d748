import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { killServer } from '../../e2e/support/kill.ts';
import { startRoot, transcriptOf } from '../../e2e/support/root.ts';
import { CLI_IDS, CLIS, versionOf } from './harness/clis.ts';
import { asking, committing, lookingFirst, reporting } from './scripts.ts';
import { openWorld, type World } from './world.ts';

for (const agentId of CLI_IDS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    beforeAll(async () => {
      w = await openWorld([...asking(agentId), ...committing(agentId), ...reporting, ...lookingFirst]);
    });
    afterEach(() => w.stopAgents());
    afterAll(() => w.close());

    const taskOf = (taskId: string) => w.c.client.call('tasks.get', { taskId });
    const workerOf = (workerId: string) => w.c.client.call('workers.get', { workerId });
    const ended = (taskId: string) =>
      w.until('the end of a task', async () => {
        const task = await taskOf(taskId);
        return task.endedAt !== null && task;
      });

    it('commits and reports delegated work, and the delegating session gets one notice', async () => {
      const parent = await startRoot(w.c);
      const child = await parent.client.call('delegations.create', { agentId, prompt: 'please commit apple' });
      let allowed = false;
      const notices = await w.until('a notice', async () => {
        if (!allowed) allowed = await w.allow(agentId, child.workerId);
        const { data } = await w.c.client.call('sessions.notices', { sessionId: parent.sessionId });
        // If the agent has asked for permission, there is also a notice about its question.
        const ended = data.filter((each) => each.kind === 'ended');
        return ended[0]?.state === 'delivered' && ended;
      });
      const wanted = { status: 'completed', outcomeSource: 'report', summary: 'apple is committed' };
      expect(notices).toEqual([expect.objectContaining(wanted)]);
      expect(w.c.git(['log', '--format=%s', 'main..HEAD'], child.worktreePath)).toBe('apple');
      expect(readFileSync(join(child.worktreePath, 'apple.txt'), 'utf8')).toBe('apple\n');
      expect(w.c.git(['status', '--porcelain', '--ignored'], child.worktreePath)).toBe('');
      const told = transcriptOf(w.c, parent.sessionId).filter((entry) => entry.text?.includes('apple is committed'));
      expect(told.filter((entry) => entry.role === 'user')).toHaveLength(1);
    });

    it('knows its own session, also when several run, and calls the tools as this session', async () => {
      const names = ['pear', 'plum'];
      const made = await Promise.all(names.map((name) => w.delegate(agentId, `please report as ${name}`)));
      const tasks = await Promise.all(made.map(({ taskId }) => ended(taskId)));
      expect(tasks.map((task) => [task.outcomeSource, task.summary])).toEqual(
        names.map((name) => ['report', `I am ${name}`]),
      );
      for (const [index, { sessionId }] of made.entries()) {
        const mine = w.heard(`please report as ${names[index]}`);
        const others = made.filter((each) => each.sessionId !== sessionId);
        expect(mine.length).toBeGreaterThan(0);
        for (const { raw } of mine) {
          expect(raw).toContain(`You run in session ${sessionId}`);
          for (const other of others) expect(raw).not.toContain(other.sessionId);
        }
      }
    });

    it('continues its conversation when it is resumed after a crash', async () => {
      const { sessionId, workerId, taskId } = await w.delegate(agentId, 'remember the word zebra');
      await ended(taskId);
      // The test waits, because an agent may write its transcript a moment after the end of its turn.
      await w.until('its own record of the conversation', async () => {
        const { data } = await w.c.client.call('sessions.messages', { sessionId });
        return data.some((message) => message.role === 'agent' && message.source === 'transcript');
      });
      process.kill((await workerOf(workerId)).pid ?? 0, 'SIGKILL');
      await w.until('its death', async () => (await workerOf(workerId)).state === 'exited');
      await w.c.client.call('sessions.prompt', { sessionId, prompt: 'and now the giraffe' });
      const [request] = await w.until('the second turn', async () => {
        const heard = w.heard('and now the giraffe');
        return heard.length > 0 && heard;
      });
      expect(request?.raw).toContain('remember the word zebra');
      expect(request?.raw).toContain(`You run in session ${sessionId}`);
    });

    it('calls its next tool without a problem after the server was killed', async () => {
      const { taskId } = await w.delegate(agentId, 'look, then report');
      await w.until('the first call', async () => w.heard('"workers"').length > 0);
      await killServer(w.c);
      w.model.release('second');
      expect(await ended(taskId)).toMatchObject({ outcomeSource: 'report', summary: 'looked and reported' });
    });

    /**
     * Waits for the agent's question about a file. Returns the question with its options, and a function that answers
     * it.
     */
    async function asked(sessionId: string, file: string) {
      const approval = await w.until(`a question about ${file}`, async () => {
        const { data } = await w.c.client.call('approvals.list', { sessionId });
        return data.find(({ text, tool, options }) => text.includes(file) && tool !== null && options.length > 1);
      });
      const answer = (kind: 'allow' | 'deny') => {
        const optionId = approval.options.find((option) => option.kind === kind)?.id ?? '';
        return w.c.client.call('approvals.answer', { approvalId: approval.id, optionId });
      };
      return { approval, answer };
    }

    it('asks for permission in the console with its question and options, and follows the answer', async () => {
      const { sessionId, workerId, worktreePath } = await w.delegate(agentId, 'please make cherry');
      const { approval, answer } = await asked(sessionId, 'cherry.txt');
      expect(approval).toMatchObject({ state: 'pending', workerId });
      expect(approval.options.map((option) => option.kind)).toEqual(expect.arrayContaining(['allow', 'deny']));
      expect(await workerOf(workerId)).toMatchObject({ activityState: 'asking' });
      expect(await w.c.client.call('sessions.get', { sessionId })).toMatchObject({ status: 'awaiting_input' });
      expect(existsSync(join(worktreePath, 'cherry.txt'))).toBe(false);
      expect(await answer('allow')).toMatchObject({ state: 'answered' });
      await w.until('the work', async () => existsSync(join(worktreePath, 'cherry.txt')));
      expect((await w.c.client.call('approvals.list', { sessionId })).data).toEqual([]);
    });

    it('does not do what a person refuses', async () => {
      const { sessionId, workerId, worktreePath } = await w.delegate(agentId, 'please make walnut');
      const { answer } = await asked(sessionId, 'walnut.txt');
      expect(await answer('deny')).toMatchObject({ state: 'answered' });
      await w.until('its rest', async () => (await workerOf(workerId)).activityState === 'idle');
      expect(existsSync(join(worktreePath, 'walnut.txt'))).toBe(false);
    });
  });
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { killServer } from '../../e2e/support/kill.ts';
import { startRoot, transcriptOf } from '../../e2e/support/root.ts';
import { CLI_IDS, CLIS, type CliId, versionOf } from './harness/clis.ts';
import { asking, committing, lookingFirst, reporting } from './scripts.ts';
import { openWorld, type World } from './world.ts';

/** Gemini CLI takes the Enter behind a first prompt for a line break while its hooks are still running. */
const LEFT_OUT: readonly CliId[] = ['gemini'];

for (const agentId of CLI_IDS.filter((id) => !LEFT_OUT.includes(id))) {
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

    it('commits delegated work and reports it, and who gave it is told once', async () => {
      const parent = await startRoot(w.c);
      const child = await parent.client.call('delegations.create', { agentId, prompt: 'please commit apple' });
      let allowed = false;
      const notices = await w.until('a notice', async () => {
        if (!allowed) allowed = await w.allow(agentId, child.workerId);
        const { data } = await w.c.client.call('sessions.notices', { sessionId: parent.sessionId });
        // Where it asked for permission, that was told too.
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

    it('knows its own session, also beside another one, and calls the tools as itself', async () => {
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

    it('goes on with its conversation when it is resumed after a crash', async () => {
      const { sessionId, workerId, taskId } = await w.delegate(agentId, 'remember the word zebra');
      await ended(taskId);
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

    it('calls its next tool as if nothing had been when the server was killed after the last one', async () => {
      const { taskId } = await w.delegate(agentId, 'look, then report');
      await w.until('the first call', async () => w.heard('"workers"').length > 0);
      await killServer(w.c);
      w.model.release('second');
      expect(await ended(taskId)).toMatchObject({ outcomeSource: 'report', summary: 'looked and reported' });
    });

    it('is seen to ask for permission, with its words, and takes an answer', async () => {
      const { workerId, worktreePath } = await w.delegate(agentId, 'please make cherry');
      const question = await w.until('a question', async () => {
        const seen = await w.reading(agentId, workerId);
        const asked = seen?.state === 'asking' ? seen.question : null;
        return asked !== null && asked.options.length > 1 ? asked : undefined;
      });
      expect(question.text).toContain('cherry.txt');
      expect(question.options.map((option) => option.kind)).toEqual(expect.arrayContaining(['allow', 'deny']));
      await w.until('its state', async () => (await workerOf(workerId)).activityState === 'asking');
      expect(existsSync(join(worktreePath, 'cherry.txt'))).toBe(false);
      await w.until('the answer', () => w.allow(agentId, workerId));
      await w.until('the work', async () => existsSync(join(worktreePath, 'cherry.txt')));
    });
  });
}

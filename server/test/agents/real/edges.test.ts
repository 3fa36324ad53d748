import { existsSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureRunner } from '../../../src/runner/supervisor.ts';
import { isAlive } from '../../e2e/support/kill.ts';
import { died, ended, filesWith, heard, kill9, liveAgent, workerOf } from './hands.ts';
import { CLI_IDS, CLIS, type CliId, versionOf } from './harness/clis.ts';
import { openWorld, type World } from './world.ts';

const program = (name: string) => fileURLToPath(new URL(`../../../dist/${name}.js`, import.meta.url));
const ENDLESS = { when: 'please think on', hold: 'never' };

/** Folder below HOME in which each agent stores its conversations. */
const KEPT: Readonly<Record<CliId, string>> = {
  'claude-code': '.claude/projects',
  codex: '.codex/sessions',
  gemini: '.gemini/tmp',
  opencode: '.local/share/opencode',
};

for (const agentId of CLI_IDS) {
  const version = versionOf(agentId);
  if (version === null) console.warn(`SKIPPED: ${CLIS[agentId].name} is not installed or does not start here`);

  describe.skipIf(version === null)(CLIS[agentId].name, () => {
    let w: World;
    beforeAll(async () => {
      w = await openWorld([ENDLESS]);
    });
    afterEach(() => w.stopAgents());
    afterAll(() => w.close());

    const home = () => w.c.env.HOME ?? '';
    /**
     * Returns the system messages of a session, and the warnings of its running agent, that report a new conversation.
     */
    async function saidAnew(sessionId: string): Promise<{ lines: string[]; warnings: string[] }> {
      const { data } = await w.c.client.call('sessions.messages', { sessionId });
      const lines = data.filter((each) => each.role === 'system').map((each) => JSON.stringify(each.parts));
      const worker = await liveAgent(w, sessionId);
      const anew = (text: string) => text.includes('so it starts a new conversation');
      return { lines: lines.filter(anew), warnings: (worker?.warnings ?? []).filter(anew) };
    }
    /**
     * Prompts a session and returns whether its agent still knew the first prompt. If not, expects that the console
     * reports a new conversation.
     */
    async function goesOn(sessionId: string, prompt: string, first: string): Promise<boolean> {
      await w.c.client.call('sessions.prompt', { sessionId, prompt });
      const { raw } = await heard(w, prompt);
      const knew = raw.includes(first);
      const { lines, warnings } = await saidAnew(sessionId);
      expect([lines.length, warnings.length]).toEqual(knew ? [0, 0] : [1, 1]);
      return knew;
    }

    it('runs the next prompt after it was killed before it stored anything', async () => {
      const { sessionId, workerId, taskId } = await w.delegate(agentId, 'please think on about early birds');
      await kill9(w, workerId);
      await died(w, workerId);
      expect(await ended(w, taskId)).toMatchObject({ status: 'failed' });
      expect(await goesOn(sessionId, 'and after the early birds', 'please think on about early birds')).toBe(false);
    });

    it('runs the next prompt after it was killed in its first turn, with a warning if it lost that turn', async () => {
      const { sessionId, workerId, taskId } = await w.delegate(agentId, 'please think on about first turns');
      await heard(w, 'about first turns');
      await kill9(w, workerId);
      await died(w, workerId);
      expect(await ended(w, taskId)).toMatchObject({ status: 'failed' });
      const knew = await goesOn(sessionId, 'and after the first turn', 'please think on about first turns');
      console.log(`${agentId} killed in its first turn: ${knew ? 'went on' : 'began anew'}`);
    });

    it('starts a new conversation with a warning after a person deleted its conversations', async () => {
      const { sessionId, taskId } = await w.delegate(agentId, 'remember the word walrus');
      await ended(w, taskId);
      await w.stopAgents();
      rmSync(join(home(), KEPT[agentId]), { recursive: true, force: true });
      expect(await goesOn(sessionId, 'and after the walrus', 'remember the word walrus')).toBe(false);
    });

    if (agentId !== 'opencode')
      it('runs the next prompt if the file of its conversation is empty', async () => {
        const { sessionId, taskId } = await w.delegate(agentId, 'remember the word narwhal');
        await ended(w, taskId);
        await w.stopAgents();
        const files = filesWith('remember the word narwhal', join(home(), KEPT[agentId]));
        expect(files.length).toBeGreaterThan(0);
        for (const file of files) truncateSync(file);
        expect(await goesOn(sessionId, 'and after the narwhal', 'remember the word narwhal')).toBe(false);
      });

    it('continues its conversation after the machine was restarted', async () => {
      const { sessionId, workerId, taskId } = await w.delegate(agentId, 'remember the word heron');
      await ended(w, taskId);
      const running = await w.delegate(agentId, 'please think on about power cuts');
      await heard(w, 'about power cuts');
      await cutPower([workerId, running.workerId]);
      expect(await workerOf(w, workerId)).toMatchObject({ state: 'lost' });
      // The console has deleted the processes' files, which include their tokens.
      for (const id of [workerId, running.workerId])
        expect(existsSync(join(w.c.home, 'workers', id, 'process'))).toBe(false);
      expect(await w.c.client.call('tasks.get', { taskId: running.taskId })).toMatchObject({
        status: 'interrupted',
        outcomeSource: 'system',
      });
      expect(await goesOn(sessionId, 'and after the heron', 'remember the word heron')).toBe(true);
      await goesOn(running.sessionId, 'and after the power cut', 'please think on about power cuts');
    });

    /** Kills runner, server and agents at once, and starts the console again. */
    async function cutPower(workerIds: readonly string[]): Promise<void> {
      const pids = [(await w.c.runner.status()).pid, w.c.serverPid()];
      for (const workerId of workerIds) pids.push((await workerOf(w, workerId)).pid ?? 0);
      for (const pid of pids) if (pid > 0) process.kill(pid, 'SIGKILL');
      await w.until('the end of everything', async () => !pids.some(isAlive));
      const next = await ensureRunner({ home: w.c.home, program: program('runner') });
      await next.runServer({ script: program('server'), args: [], env: w.c.env, host: null, port: w.c.port });
      next.close();
    }
  });
}

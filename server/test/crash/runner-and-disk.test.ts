import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureRunner } from '../../src/runner/supervisor.ts';
import { createClient } from '../../src/surfaces/cli/client.ts';
import { asWorker, refusal, refusalsOf } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';
import { smallDisk } from '../support/disk.ts';

const RUNNER = fileURLToPath(new URL('../../dist/runner.js', import.meta.url));
const SERVER = fileURLToPath(new URL('../../dist/server.js', import.meta.url));

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

describe('a full disk', () => {
  it('fails writes but not reads, leaves nothing incomplete, and has no effect once there is space', async (test) => {
    const disk = smallDisk(40);
    if (disk === undefined) {
      console.warn('SKIPPED: a full disk needs a file system of its own, which only root can mount');
      return test.skip();
    }
    const { TMPDIR } = process.env;
    process.env.TMPDIR = disk.folder;
    const own = await startConsole().finally(() => {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    });
    try {
      const client = createClient({ baseUrl: own.baseUrl, insideWorker: false });
      const create = (title: string) => client.call('sessions.create', { cwd: own.folder, agentId: 'scripted', title });
      const { id: sessionId } = await create('before');
      const filler = join(disk.folder, 'filler');
      const fill = () => {
        try {
          for (;;) writeFileSync(filler, Buffer.alloc(4_096), { flag: 'a' });
        } catch (error) {
          expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
        }
      };
      fill();
      const description = 'x'.repeat(20_000);
      const error = await own.until('a write that fails', async () => {
        fill();
        const answer = await client.call('sessions.update', { sessionId, description }).then(
          () => undefined,
          (thrown: unknown) => refusal(Promise.reject(thrown)),
        );
        return answer;
      });
      expect(error).toMatchObject({
        code: 'BUSY',
        retryable: true,
        message: expect.stringContaining('disk may be full'),
      });
      const pid = own.serverPid();
      const total = (await client.call('sessions.list', {})).total;
      expect(await refusal(create('during'))).toMatchObject({ code: 'BUSY' });
      const delegation = { repositoryId: own.repository.id, agentId: 'scripted', prompt: 'x' };
      expect((await refusal(client.call('delegations.create', delegation))).code).toBe('BUSY');
      expect((await client.call('sessions.list', {})).total).toBe(total);
      rmSync(filler);
      expect(await create('after')).toMatchObject({ title: 'after' });
      const prompt = await client.call('sessions.prompt', { sessionId, prompt: '@say works again' });
      await client.call('sessions.wait', { sessionId });
      expect(await client.call('tasks.get', { taskId: prompt.taskId })).toMatchObject({ status: 'completed' });
      expect(own.serverPid()).toBe(pid);

      // The disk has space for the database, but not for the files of another worktree.
      writeFileSync(join(own.repository.path, 'large.bin'), randomBytes(6 * 2 ** 20));
      own.git(['add', 'large.bin']);
      own.git(['commit', '--quiet', '-m', 'Large']);
      fill();
      truncateSync(filler, Math.max(statSync(filler).size - 3 * 2 ** 20, 0));
      const state = () => ({
        refs: own.git(['for-each-ref', '--format=%(refname)', 'refs/heads']),
        worktrees: own.git(['worktree', 'list']),
        folders: readdirSync(own.home, { recursive: true }).filter((name) => /\/wt-\d+/.test(String(name))),
      });
      const before = state();
      const full = await refusal(client.call('delegations.create', { ...delegation, branch: 'too-large' }));
      expect(full).toMatchObject({ code: 'GIT_FAILED', details: { failedStep: 'creating_worktree' } });
      expect(full.message).toContain('large.bin');
      expect(state()).toEqual(before);
      rmSync(filler);
      const made = await client.call('delegations.create', { ...delegation, branch: 'too-large' });
      expect(statSync(join(made.worktreePath, 'large.bin')).size).toBe(6 * 2 ** 20);
    } finally {
      await own.close();
      disk.unmount();
    }
  });
});

describe('a runner that was killed', () => {
  it('loses its workers, which the server reports; reads still work, and a new runner continues', async () => {
    const fields = { repositoryId: c.repository.id, agentId: 'scripted' };
    const root = await c.client.call('delegations.create', { ...fields, prompt: '@say ready' });
    await c.client.call('sessions.wait', { sessionId: root.sessionId });
    const child = await asWorker(c, root.workerId).call('delegations.create', { prompt: '@sleep 600000' });
    await c.client.call('sessions.prompt', { sessionId: child.sessionId, prompt: '@say queued' });
    await c.until('an agent at work', async () => {
      return (await c.client.call('workers.get', { workerId: child.workerId })).activityState === 'active';
    });
    const terminal = await c.client.call('workers.create', { sessionId: root.sessionId, type: 'terminal' });
    const serverPid = c.serverPid();
    process.kill((await c.runner.status()).pid, 'SIGKILL');

    const client = createClient({ baseUrl: c.baseUrl, insideWorker: false });
    const task = await c.until('an interrupted task', async () => {
      const found = await client.call('tasks.get', { taskId: child.taskId });
      return found.status === 'interrupted' && found;
    });
    expect(task).toMatchObject({ outcomeSource: 'system', certain: true, error: { code: 'RUNNER_UNAVAILABLE' } });
    for (const workerId of [root.workerId, child.workerId, terminal.id]) {
      const lost = await c.until('a lost worker', async () => {
        const worker = await client.call('workers.get', { workerId });
        return worker.state === 'lost' && worker;
      });
      expect(lost).toMatchObject({ pid: null, exitCode: null, signal: null });
    }
    const notices = (await client.call('sessions.notices', { sessionId: root.sessionId })).data;
    expect(notices).toMatchObject([{ kind: 'ended', status: 'interrupted', state: 'pending' }]);
    expect(await client.call('sessions.output', { sessionId: root.sessionId, sinceOffset: 0 })).toMatchObject({
      text: expect.stringContaining('ready'),
    });

    const total = (await client.call('sessions.list', { limit: 500 })).total;
    const { sessionId } = root;
    const errors = await refusalsOf([
      client.call('workers.create', { sessionId, type: 'agent' }),
      client.call('workers.create', { sessionId, type: 'terminal' }),
      client.call('sessions.resume', { sessionId }),
      client.call('delegations.create', { ...fields, prompt: 'x' }),
    ]);
    for (const error of errors) expect(error).toMatchObject({ code: 'RUNNER_UNAVAILABLE' });
    expect((await client.call('sessions.list', { limit: 500 })).total).toBe(total);
    expect(c.serverPid()).toBe(serverPid);

    const runner = await ensureRunner({ home: c.home, program: RUNNER });
    await runner.runServer({ script: SERVER, args: [], env: c.env, host: null, port: c.port });
    expect(c.serverPid()).not.toBe(serverPid);
    await c.client.call('sessions.resume', { sessionId });
    await c.until('the notice', async () => {
      const { data } = await c.client.call('sessions.notices', { sessionId });
      return data.every(({ state }) => state === 'delivered');
    });
    await c.client.call('sessions.prompt', { sessionId: child.sessionId, prompt: '@recall 1' });
    await c.client.call('sessions.wait', { sessionId: child.sessionId });
    const { tasks } = await c.client.call('sessions.get', { sessionId: child.sessionId });
    expect(tasks.map(({ status }) => status)).toEqual(['interrupted', 'completed', 'completed']);
    expect((await c.client.call('sessions.output', { sessionId: child.sessionId })).text).toContain(
      'message 1: @sleep',
    );
    runner.close();
  });
});

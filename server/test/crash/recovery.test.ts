import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import LibSql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

/** Changes the database to a state that a killed server could have left, and starts the next server. */
async function restartOn(...statements: [sql: string, ...values: string[]][]): Promise<void> {
  await c.runner.stopServer();
  const database = new LibSql(join(c.home, 'console.db'));
  for (const [sql, ...values] of statements) database.prepare(sql).run(...values);
  database.close();
  await c.serve();
}

describe('a server that starts after a crash', () => {
  it('keeps a worktree that was complete when its job was interrupted, and completes the job', async () => {
    const { jobId } = await c.client.call('worktrees.create', {
      repositoryId: c.repository.id,
      mode: 'custom',
      branch: 'whole',
      autoStartSession: true,
      agentId: 'scripted',
    });
    const done = await c.until('the job', async () => {
      const job = await c.client.call('jobs.get', { jobId });
      return job.state === 'succeeded' && job;
    });
    const path = String(done.result?.worktreePath);
    await restartOn(["update jobs set state = 'running', result = null, endedAt = null where id = ?", jobId]);
    const job = await c.client.call('jobs.get', { jobId });
    expect(job).toMatchObject({ state: 'succeeded', result: { branch: 'whole', sessionId: done.result?.sessionId } });
    expect(existsSync(join(path, 'readme.md'))).toBe(true);
    expect(c.git(['branch', '--list', 'whole'])).toContain('whole');
  });

  it('starts even if something can no longer be undone, and continues with the rest', async () => {
    const lost = await c.addRepository('lost');
    const made = await c.client.call('delegations.create', {
      repositoryId: lost.id,
      agentId: 'scripted',
      prompt: '@exit 0',
    });
    await c.client.call('sessions.wait', { sessionId: made.sessionId, timeoutSeconds: 45 });
    const { worktreeId } = await c.client.call('delegations.get', { delegationId: made.delegationId });
    rmSync(lost.path, { recursive: true });
    await restartOn(
      ["update delegations set state = 'creating_worktree' where id = ?", made.delegationId],
      ["update worktrees set state = 'creating' where id = ?", worktreeId],
    );
    expect(await c.client.call('system.status', {})).toMatchObject({ pid: c.serverPid() });
    const next = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      prompt: '@report succeeded still here',
    });
    const end = await c.client.call('sessions.wait', { sessionId: next.sessionId, timeoutSeconds: 45 });
    expect(end.task?.summary).toBe('still here');
  });

  it('deletes the temporary views of git that the previous server left', async () => {
    const left = join(c.home, 'views/view-left');
    mkdirSync(left, { recursive: true });
    await restartOn();
    expect(existsSync(left)).toBe(false);
  });

  it('ends an agent whose session was stopped just before the server died', async () => {
    const made = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      prompt: '@sleep 60000',
    });
    const { pid } = await c.client.call('workers.get', { workerId: made.workerId });
    await restartOn(["update sessions set mark = 'stopped' where id = ?", made.sessionId]);
    await c.until('the end of the agent', async () => !existsSync(`/proc/${pid}`));
    await c.until('the news of it', async () => {
      const { state } = await c.client.call('workers.get', { workerId: made.workerId });
      return state === 'exited';
    });
  });
});

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConsole, type TestConsole } from '../support/console.ts';

describe('a person who delegates to the scripted agent', () => {
  let c: TestConsole;
  beforeAll(async () => {
    c = await startConsole();
  });
  afterAll(() => c.close());

  it('gets a worktree, a session and a running agent, and the work is committed and reported', async () => {
    const made = await c.client.call('delegations.create', {
      repositoryId: c.repository.id,
      agentId: 'scripted',
      branch: 'feature/hello',
      title: 'Say hello',
      prompt: '@write hello.txt Hello\n@commit Say hello\n@report succeeded hello.txt is committed',
    });
    expect(made).toMatchObject({ branch: 'feature/hello', state: 'prompting' });
    const session = await c.client.call('sessions.get', { sessionId: made.sessionId });
    expect(session).toMatchObject({
      title: 'Say hello',
      agentId: 'scripted',
      cwd: made.worktreePath,
      type: 'worktree',
    });
    expect(session.workers.map((worker) => [worker.id, worker.state])).toEqual([[made.workerId, 'running']]);
    const commandLine = readFileSync(`/proc/${session.workers[0]?.pid ?? 0}/cmdline`, 'utf8').split('\0');
    expect(commandLine[1]).toMatch(/scripted-agent\.js$/);

    const end = await c.client.call('sessions.wait', { sessionId: made.sessionId, timeoutSeconds: 45 });
    expect(end).toMatchObject({ reached: 'finished', stillRunning: false });
    expect(end.task).toMatchObject({
      status: 'completed',
      outcomeSource: 'report',
      certain: true,
      summary: 'hello.txt is committed',
    });
    expect(c.git(['show', 'feature/hello:hello.txt'])).toBe('Hello');
    expect(c.git(['status', '--porcelain'])).toBe('');
  });
});

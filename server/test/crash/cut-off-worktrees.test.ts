import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputOf } from '@agent-console/shared/operations/table';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/surfaces/cli/client.ts';
import { killServer } from '../e2e/support/kill.ts';
import { lockDatabase, refuseWrite } from '../e2e/support/planted.ts';
import { refusal, send } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

let c: TestConsole;
beforeEach(async () => {
  c = await startConsole();
});
afterEach(() => c.close());

const setup = (setupCommand: string | null) =>
  c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand });

async function managed() {
  const { data } = await c.client.call('worktrees.list', { repositoryId: c.repository.id, limit: 500 });
  return data.filter(({ kind }) => kind !== 'main');
}

const branches = () => c.git(['branch', '--format=%(refname:short)']).split('\n');

async function jobEnd(jobId: string): Promise<OutputOf<'jobs.get'>> {
  return c.until('the end of a job', async () => {
    const job = await c.client.call('jobs.get', { jobId });
    return job.state !== 'running' && job;
  });
}

/** Makes the setup command wait until `go` is called. `began` waits until the command has started. */
async function holdSetup() {
  const [began, go] = [join(c.folder, 'began'), join(c.folder, 'go')];
  await setup(`touch '${began}'; while [ ! -e '${go}' ]; do sleep 0.05; done`);
  return {
    began: () => c.until('the setup command', async () => existsSync(began)),
    go: () => writeFileSync(go, ''),
  };
}

describe('a worktree that a delegation creates', () => {
  const impatient = () => createClient({ baseUrl: c.baseUrl, insideWorker: false });
  const delegate = (prompt: string) =>
    impatient()
      .call('delegations.create', { repositoryId: c.repository.id, agentId: 'scripted', branch: 'made', prompt })
      .catch(() => undefined);
  const row = async () => {
    const [found] = (await c.client.call('delegations.list', {})).data;
    if (found === undefined) throw new Error('there is no delegation');
    return found;
  };

  it('is not ready before the delegation has stored its next step, which happens even after a crash', async () => {
    const runs = join(c.folder, 'runs');
    await setup(`echo once >> '${runs}'`);
    const lift = refuseWrite(c, { event: 'update', table: 'delegations', when: `old.state = 'creating_worktree'` });
    const answered = delegate('@report succeeded went on');
    await c.until('the checkout', async () => existsSync(runs));
    await answered;
    const { worktreeId, sessionId } = await row();
    const session = { worktreeId, agentId: 'scripted', title: 'Mine' };
    expect(await refusal(c.client.call('sessions.create', session))).toMatchObject({
      code: 'CONFLICT',
      details: { state: 'creating' },
    });
    lift();
    await killServer(c);
    const { task } = await c.client.call('sessions.wait', { sessionId, timeoutSeconds: 45 });
    expect(task).toMatchObject({ status: 'completed', summary: 'went on' });
    const { data: events } = await c.client.call('events.list', { after: 0, limit: 500 });
    const made = events.filter(({ type, subject }) => type === 'worktree.created' && subject.id === worktreeId);
    expect(made).toHaveLength(1);
    expect(await managed()).toMatchObject([{ id: worktreeId, state: 'ready' }]);
  });

  it('is kept when the delegation fails after another session has started work in it', async () => {
    const lift = refuseWrite(c, { event: 'update', table: 'delegations', when: `old.state = 'starting_agent'` });
    await delegate('@report succeeded never');
    const { worktreeId, sessionId, worktreePath } = await row();
    expect(await managed()).toMatchObject([{ id: worktreeId, state: 'ready' }]);
    const mine = await c.client.call('sessions.create', {
      worktreeId,
      agentId: 'scripted',
      initialPrompt: '@write mine.txt yes\n@report succeeded written',
    });
    await c.client.call('sessions.wait', { sessionId: mine.id, timeoutSeconds: 45 });
    await c.client.call('sessions.stop', { sessionId });
    lift();
    await c.until('the end of the delegation', async () => (await row()).state === 'rejected');
    expect(readFileSync(join(worktreePath, 'mine.txt'), 'utf8')).toBe('yes');
    expect(await managed()).toMatchObject([{ id: worktreeId, state: 'ready', branch: 'made' }]);
    const { task } = await c.client
      .call('sessions.prompt', { sessionId: mine.id, prompt: '@report succeeded still here' })
      .then(() => c.client.call('sessions.wait', { sessionId: mine.id, timeoutSeconds: 45 }));
    expect(task?.summary).toBe('still here');
  });
});

describe('a worktree with a session in it', () => {
  async function request(key: string): Promise<{ jobId: string }> {
    const about = { mode: 'custom', branch: 'both', prompt: '@report succeeded begun' };
    const body = { ...about, autoStartSession: true, agentId: 'scripted' };
    const path = `/repositories/${c.repository.id}/worktrees`;
    const answer = await send(c, 'POST', path, body, { 'Idempotency-Key': key });
    expect(answer).toMatchObject({ status: 202, body: { jobId: expect.any(String) } });
    return { jobId: String(answer.body.jobId) };
  }

  async function expectBoth(jobId: string): Promise<void> {
    const { result } = await jobEnd(jobId);
    expect(result).toMatchObject({ branch: 'both', sessionId: expect.any(String), taskId: expect.any(String) });
    const { task } = await c.client.call('sessions.wait', { sessionId: String(result?.sessionId), timeoutSeconds: 45 });
    expect(task).toMatchObject({ id: result?.taskId, summary: 'begun' });
  }

  it('is not created if the session cannot be, also for a repeated key, but is created for a new key', async () => {
    const lift = refuseWrite(c, { event: 'insert', table: 'sessions' });
    const { jobId } = await request('first');
    expect(await jobEnd(jobId)).toMatchObject({ state: 'failed', error: { code: 'INTERNAL' } });
    expect([await managed(), branches()]).toEqual([[], ['main']]);
    lift();
    expect(await request('first')).toEqual({ jobId });
    expect(await jobEnd(jobId)).toMatchObject({ state: 'failed' });
    const { data: events } = await c.client.call('events.list', { after: 0, limit: 500 });
    const told = events.map(({ type }) => type);
    expect([told.includes('worktree.failed'), told.includes('worktree.created')]).toEqual([true, false]);
    await expectBoth((await request('second')).jobId);
  });

  it('is not left without its session if the server dies in between', async () => {
    const lifts = [
      refuseWrite(c, { event: 'insert', table: 'sessions' }),
      refuseWrite(c, { event: 'update', table: 'worktrees', when: `new.state = 'failed'` }),
      refuseWrite(c, { event: 'update', table: 'jobs' }),
    ];
    const runs = join(c.folder, 'runs');
    await setup(`echo once >> '${runs}'`);
    const { jobId } = await request('first');
    await c.until('the checkout', async () => existsSync(runs));
    await c.until('the undoing', async () => !branches().includes('both'));
    for (const lift of lifts) lift();
    await killServer(c);
    const job = await jobEnd(jobId);
    expect(job).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('Try again') } });
    expect([await managed(), branches()]).toEqual([[], ['main']]);
    await expectBoth((await request('second')).jobId);
  });

  it('does not prevent a second request if it was undone while the database was busy', async () => {
    const { began, go } = await holdSetup();
    const { jobId } = await request('first');
    await began();
    const unlock = lockDatabase(c);
    go();
    await c.until('the undoing', async () => !branches().includes('both'));
    unlock();
    expect(await jobEnd(jobId)).toMatchObject({ state: 'failed', error: { code: 'BUSY' } });
    await expectBoth((await request('second')).jobId);
  });
});

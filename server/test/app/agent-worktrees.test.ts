import type { OutputOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentHandle, startRoot } from '../e2e/support/root.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal, send } from '../support/calling.ts';

let c: InProcessApp;
let root: AgentHandle;
beforeAll(async () => {
  c = await startTestApp();
  root = await startRoot(c);
});
afterAll(() => c.close());

/** Requests a worktree together with a session over REST, as an agent does with curl. Returns the id of the job. */
async function ask(fields: object, key?: string): Promise<string> {
  const headers = { Authorization: `Bearer ${root.token}`, ...(key === undefined ? {} : { 'Idempotency-Key': key }) };
  const body = { autoStartSession: true, ...fields };
  const answer = await send(c, 'POST', `/repositories/${c.repository.id}/worktrees`, body, headers);
  expect(answer).toMatchObject({ status: 202, body: { jobId: expect.any(String) } });
  return String(answer.body.jobId);
}

async function jobEnd(jobId: string): Promise<OutputOf<'jobs.get'>> {
  return c.until('the end of a job', async () => {
    const job = await c.client.call('jobs.get', { jobId });
    return job.state !== 'running' && job;
  });
}

const refused = (fields: object) =>
  refusal(
    root.client.call('worktrees.create', {
      repositoryId: c.repository.id,
      mode: 'prompt',
      autoStartSession: true,
      ...fields,
    } as never),
  );
const branches = () => c.git(['branch', '--format=%(refname:short)']).split('\n');
const notices = async (about: unknown) =>
  (await c.client.call('sessions.notices', { sessionId: root.sessionId, limit: 500 })).data.filter(
    (notice) => notice.about.sessionId === about,
  );

describe('an agent that requests a worktree with a session in it', () => {
  it.each([
    { mode: 'prompt' },
    { mode: 'custom', branch: 'given', name: 'Given', title: 'Titled' },
    { mode: 'existing', branch: 'there' },
    { mode: 'either', branch: 'there-too' },
  ])('delegates the task: %o', async (fields) => {
    if ('branch' in fields && fields.mode !== 'custom') c.git(['branch', fields.branch, 'main']);
    const { state, result } = await jobEnd(await ask({ prompt: '@report succeeded done', ...fields }));
    expect(state).toBe('succeeded');
    const { sessionId, taskId, delegationId, worktreeId } = result ?? {};
    const delegation = await c.client.call('delegations.get', { delegationId: String(delegationId) });
    expect(delegation).toMatchObject({ parentSessionId: root.sessionId, sessionId, taskId, worktreeId });
    if ('branch' in fields) expect(result).toMatchObject({ branch: fields.branch });
    if ('name' in fields) {
      const worktree = await c.client.call('worktrees.get', { worktreeId: String(worktreeId) });
      expect(worktree).toMatchObject({ name: 'Given', branch: 'given', state: 'ready' });
    }
    const { task } = await c.client.call('sessions.wait', { sessionId: String(sessionId), timeoutSeconds: 45 });
    expect(task).toMatchObject({ id: taskId, status: 'completed', summary: 'done' });
    const session = await c.client.call('sessions.get', { sessionId: String(sessionId) });
    expect(session).toMatchObject({ depth: 1, agentId: 'scripted', genealogy: { parentSessionId: root.sessionId } });
    if ('title' in fields) expect(session.title).toBe('Titled');
    expect(await notices(sessionId)).toMatchObject([{ kind: 'ended', status: 'completed' }]);
  });

  it('is subject to the limits of delegations, and confined to its own repository', async () => {
    const { delegationChildren } = await c.client.call('settings.get', {});
    await c.client.call('settings.update', { delegationDepth: 0 });
    expect(await refused({ prompt: 'too deep' })).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { limit: 'delegationDepth' },
    });
    await c.client.call('settings.update', { delegationDepth: 2, delegationChildren: 1 });
    const { result } = await jobEnd(await ask({ mode: 'prompt', prompt: '@sleep 600000' }));
    expect(await refused({ prompt: 'one too many' })).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      details: { limit: 'delegationChildren', holders: [result?.sessionId] },
    });
    await c.client.call('settings.update', { delegationChildren });
    await c.client.call('sessions.stop', { sessionId: String(result?.sessionId) });
    const other = await c.addRepository('elsewhere');
    expect(await refused({ prompt: 'x', repositoryId: other.id })).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await refused({ mode: 'custom', branch: 'silent' })).toMatchObject({
      code: 'VALIDATION',
      details: { field: 'prompt' },
    });
    expect(await refused({ mode: 'existing', branch: 'nowhere', prompt: 'x' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(branches()).not.toContain('silent');
  });

  it('gets the same job and a single delegation for the same key', async () => {
    const fields = { mode: 'custom', branch: 'keyed', prompt: '@report succeeded once' };
    const jobId = await ask(fields, 'one-key');
    expect(await ask(fields, 'one-key')).toBe(jobId);
    await jobEnd(jobId);
    const { data } = await c.client.call('delegations.list', { limit: 500 });
    expect(data.filter(({ branch }) => branch === 'keyed')).toHaveLength(1);
  });

  it('is informed by the job and by a notice of a failure, and nothing remains', async () => {
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: 'kill -9 $$' });
    const job = await jobEnd(await ask({ mode: 'custom', branch: 'fails', prompt: 'x' }));
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: null });
    expect(job).toMatchObject({ state: 'failed', error: { details: { failedStep: 'creating_worktree' } } });
    expect(branches()).not.toContain('fails');
    const { data } = await c.client.call('delegations.list', { limit: 1 });
    expect(await notices(data[0]?.sessionId)).toMatchObject([{ status: 'failed' }]);
  });
});

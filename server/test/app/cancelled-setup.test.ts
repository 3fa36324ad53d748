import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { asWorker } from '../support/calling.ts';
import { done, orchestrationsIn } from '../support/orchestrations.ts';

let passedMs = 0;
let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp({ now: () => new Date(Date.now() + passedMs) });
});
afterAll(() => c.close());

const { create, status, ended } = orchestrationsIn(() => c);

/**
 * Configures a setup command that never ends. Returns a function that waits until the command runs and returns its pid.
 */
async function endlessSetup(name: string): Promise<() => Promise<number>> {
  const file = join(c.folder, name);
  await c.client.call('repositories.update', {
    repositoryId: c.repository.id,
    setupCommand: `echo $$ > '${file}.new' && mv '${file}.new' '${file}' && exec tail -f /dev/null`,
  });
  return async () => Number(readFileSync(await c.until('the setup command', () => existsSync(file) && file), 'utf8'));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function rejected(branch: string) {
  return c.until('the rejected delegation', async () => {
    const { data } = await c.client.call('delegations.list', { limit: 100 });
    return data.find((each) => each.branch === branch && each.state === 'rejected');
  });
}

/** Delegates work on a new branch with the client `by`, and returns once the setup command of the new worktree runs. */
async function preparing(branch: string, by = c.client) {
  const pidOf = await endlessSetup(branch);
  const input = { repositoryId: c.repository.id, agentId: 'scripted', prompt: done(), branch };
  const creating = by.call('delegations.create', input).catch((error: unknown) => error);
  const pid = await pidOf();
  const { data } = await c.client.call('delegations.list', {});
  return { creating, pid, sessionId: data[0]?.sessionId ?? '' };
}

it('ends a setup command at once when its session is stopped', async () => {
  const { creating, pid, sessionId } = await preparing('stopped');
  await c.client.call('sessions.stop', { sessionId });
  expect(await creating).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('was being created') });
  expect(isAlive(pid)).toBe(false);
  await rejected('stopped');
  expect(c.git(['branch', '--list', 'stopped'])).toBe('');
});

it('leaves nothing of a stopped delegation although somebody viewed its diff', async () => {
  const { creating, sessionId } = await preparing('viewed');
  await c.client.call('workers.create', { sessionId, type: 'git-diff' });
  await c.client.call('sessions.stop', { sessionId });
  expect(await creating).toMatchObject({ code: 'CONFLICT' });
  await rejected('viewed');
  expect(c.git(['branch', '--list', 'viewed'])).toBe('');
});

it('ends all prompts of a stopped delegation, and tells the agent that gave them', async () => {
  await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: null });
  const input = { repositoryId: c.repository.id, agentId: 'scripted', prompt: '@say ready' };
  const parent = await c.client.call('delegations.create', input);
  await c.client.call('sessions.wait', { sessionId: parent.sessionId });
  const { creating, sessionId } = await preparing('prompted', asWorker(c, parent.workerId));
  const agent = asWorker(c, parent.workerId);
  const { taskId } = await agent.call('sessions.prompt', { sessionId, prompt: done() });
  await c.client.call('sessions.stop', { sessionId });
  expect(await creating).toMatchObject({ code: 'CONFLICT' });
  await rejected('prompted');
  const error = { code: 'CONFLICT', message: 'The session was stopped while the worktree was being created.' };
  expect(await c.client.call('tasks.get', { taskId })).toMatchObject({ status: 'failed', error });
  const notices = await c.client.call('sessions.notices', { sessionId: parent.sessionId });
  const notice = notices.data.find(({ about }) => about.taskId === taskId);
  expect(notice).toMatchObject({ status: 'failed', summary: error.message });
  expect(notice?.state).not.toBe('stored');
});

it('says so when the session was removed meanwhile, and reports its removal once', async () => {
  const { creating, sessionId } = await preparing('removed');
  await c.client.call('sessions.remove', { sessionId });
  const message = 'The session was removed while the worktree was being created.';
  expect(await creating).toMatchObject({ code: 'CONFLICT', message });
  const { id } = await rejected('removed');
  const events = await c.events(0, ({ type, subject }) => type === 'delegation.rejected' && subject.id === id);
  const removals = events.filter(({ type, subject }) => type === 'session.removed' && subject.id === sessionId);
  expect(removals).toHaveLength(1);
});

it('ends the setup commands of an orchestration at once when it is cancelled', async () => {
  const pidOf = await endlessSetup('cancelled');
  const { id } = await create([{ agentId: 'a', role: 'engineer', task: done() }], { start: true });
  const pid = await pidOf();
  await c.client.call('orchestrations.cancel', { orchestrationId: id });
  await c.until('the end of the setup command', () => !isAlive(pid));
  expect(await status(id)).toMatchObject({ state: 'cancelled', agents: [{ state: 'cancelled' }] });
  await rejected(`orchestration/${id.slice(-6)}/a`);
});

it('ends a setup command when the server stops, and the next server runs it again', async () => {
  const pidOf = await endlessSetup('stopping');
  const { id } = await create([{ agentId: 'a', role: 'engineer', task: done() }], { start: true });
  const pid = await pidOf();
  await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: 'touch set-up' });
  await c.restart();
  expect(isAlive(pid)).toBe(false);
  const { agents } = await ended(id);
  expect(agents).toMatchObject([{ state: 'completed', attempt: 1 }]);
  const { cwd } = await c.client.call('sessions.get', { sessionId: agents[0]?.sessionId ?? '' });
  expect(existsSync(join(cwd, 'set-up'))).toBe(true);
});

it('is continued by the next server, even if no server ran for an hour', async () => {
  const { sessionId } = await preparing('interrupted');
  await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: 'touch set-up' });
  passedMs += 3_600_000;
  await c.restart();
  expect(await c.client.call('sessions.wait', { sessionId })).toMatchObject({ task: { status: 'completed' } });
});

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputOf } from '@agent-console/shared/operations/table';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { delegationsIn } from '../e2e/support/delegations.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { tokenOf } from '../support/calling.ts';
import { cat } from '../support/memory-runner/programs.ts';

let c: InProcessApp;
let root: OutputOf<'delegations.create'>;
const file = (name: string) => join(c.folder, name);

beforeAll(async () => {
  c = await startTestApp({ programs: { namer: cat }, env: { ANTHROPIC_API_KEY: 'sk-test-dummy' } });
  // An agent that is asked for the name of a branch answers once the file `go` exists.
  const answer = `touch '${file('asked')}'; while [ ! -e '${file('go')}' ]; do sleep 0.05; done; echo some-name`;
  writeFileSync(file('namer'), `#!/bin/sh\ncase " $* " in *" -p "*) ${answer};; esac\n`, { mode: 0o755 });
  await c.client.call('agents.create', { id: 'namer', name: 'Namer', kind: 'claude-code', command: [file('namer')] });
  root = await rootAtRest();
});
beforeEach(() => {
  for (const name of ['asked', 'go']) rmSync(file(name), { force: true });
});
afterAll(() => c.close());

const { rootAtRest } = delegationsIn(() => c);
const isAsked = () => c.until('the question for a name', () => existsSync(file('asked')));
const answerNow = () => writeFileSync(file('go'), '');

/** Returns the request with which the agent `root` delegates, without an idempotency key. */
const request = (prompt: string) => ({
  method: 'POST',
  headers: { Authorization: `Bearer ${tokenOf(c, root.workerId)}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ agentId: 'namer', prompt }),
});

async function delegate(prompt: string) {
  const response = await fetch(`${c.baseUrl}/api/delegations`, request(prompt));
  return response.json();
}

async function delegationsOf(prompt: string) {
  const { data } = await c.client.call('delegations.list', { parentSessionId: root.sessionId, limit: 100 });
  const tasks = await Promise.all(data.map(({ taskId }) => c.client.call('tasks.get', { taskId })));
  return data.filter(({ taskId }) => tasks.some((task) => task.id === taskId && task.prompt === prompt));
}

/** Delegates as `root`, which disconnects once `when` resolves: by default, while the branch is named. */
async function delegateAndDisconnect(prompt: string, when: () => Promise<unknown> = isAsked): Promise<void> {
  const leaving = new AbortController();
  const call = fetch(`${c.baseUrl}/api/delegations`, { ...request(prompt), signal: leaving.signal });
  await when();
  leaving.abort();
  await expect(call).rejects.toThrow();
}

describe('while a branch is named', () => {
  it('the caller disconnects and repeats its call at once: one agent works on it', async () => {
    await delegateAndDisconnect('Once');
    const repeated = delegate('Once');
    answerNow();
    const { delegationId } = await repeated;
    expect(await delegationsOf('Once')).toMatchObject([{ id: delegationId }]);
  });

  it('the caller disconnects and repeats its call later: one agent works on it', async () => {
    await delegateAndDisconnect('Later');
    answerNow();
    const [first] = await c.until('the delegation', async () => {
      const found = await delegationsOf('Later');
      return found[0]?.state === 'prompting' || found[0]?.state === 'handed_over' ? found : undefined;
    });
    expect(await delegate('Later')).toMatchObject({ delegationId: first?.id });
    expect(await delegationsOf('Later')).toHaveLength(1);
  });

  it('the caller disconnects twice, and repeats its call again: one agent works on it', async () => {
    const setupCommand = `while [ ! -e '${file('go')}.setup' ]; do sleep 0.05; done`;
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand });
    answerNow();
    const preparing = () => c.until('the delegation', async () => (await delegationsOf('Thrice'))[0]);
    await delegateAndDisconnect('Thrice', preparing);
    await delegateAndDisconnect('Thrice', preparing);
    writeFileSync(`${file('go')}.setup`, '');
    await delegate('Thrice');
    expect(await delegationsOf('Thrice')).toHaveLength(1);
    await c.client.call('repositories.update', { repositoryId: c.repository.id, setupCommand: null });
  });

  it('the caller becomes private: so does its child', async () => {
    const delegating = delegate('Hidden');
    await isAsked();
    await c.client.call('sessions.update', { sessionId: root.sessionId, visibility: 'private' });
    answerNow();
    const { sessionId } = await delegating;
    expect(await c.client.call('sessions.get', { sessionId })).toMatchObject({ visibility: 'private' });
  });

  it('the caller is stopped: nothing is delegated', async () => {
    const delegating = delegate('Never');
    await isAsked();
    await c.client.call('sessions.stop', { sessionId: root.sessionId });
    answerNow();
    expect(await delegating).toMatchObject({ error: { code: 'CONFLICT' } });
    expect(await delegationsOf('Never')).toEqual([]);
  });
});

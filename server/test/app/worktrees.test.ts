import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { worktreesIn } from '../e2e/support/worktrees.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal, send } from '../support/calling.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const repositoryId = () => c.repository.id;
const { jobEnd, make, worktreesOf } = worktreesIn(() => c);

/** Records the events of both live streams (SSE and WebSocket) from now on. */
async function listen() {
  const { lastEventSeq } = await c.client.call('system.status', {});
  const told = { sse: [] as ConsoleEvent[], webSocket: [] as ConsoleEvent[] };
  const ended = new AbortController();
  const response = await fetch(`${c.baseUrl}/api/events/stream?after=${lastEventSeq}`, { signal: ended.signal });
  const reading = (async () => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString();
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
        if (data !== undefined) told.sse.push(JSON.parse(data) as ConsoleEvent);
        text = text.slice(end + 2);
      }
    }
  })().catch(() => undefined);
  const socket = new WebSocket(`${c.baseUrl.replace('http', 'ws')}/ws/app?after=${lastEventSeq}`);
  socket.on('message', (data) => {
    const frame = JSON.parse(String(data)) as { type: string; event?: ConsoleEvent };
    if (frame.event !== undefined) told.webSocket.push(frame.event);
  });
  await new Promise((resolve) => socket.once('open', resolve));
  return {
    /**
     * Waits until the live streams over SSE and WebSocket both have an event of this type. Returns the first event of
     * each.
     */
    both: (type: ConsoleEvent['type']) =>
      c.until(`${type} on both streams`, async () => {
        const found = [told.sse, told.webSocket].map((events) => events.filter((event) => event.type === type));
        return found.every(([event]) => event !== undefined) && found.map(([event]) => event);
      }),
    async close() {
      socket.close();
      ended.abort();
      await reading;
    },
  };
}

describe('creating a worktree', () => {
  it('with a new branch creates it on disk and in git, and both streams report it under either name', async () => {
    const streams = await listen();
    const made = await make({ mode: 'custom', branch: 'feature/one' });
    expect(made).toMatchObject({ branch: 'feature/one', warnings: [] });
    expect(made.sessionId).toBeUndefined();
    expect(made.worktreePath).toMatch(new RegExp(`^${c.home}/repositories/local/shop/worktrees/wt-001-[0-9a-f]{4}$`));
    expect(readFileSync(join(made.worktreePath, 'readme.md'), 'utf8')).toBe('# shop\n');
    const head = c.git(['rev-parse', 'main']);
    expect(c.git(['rev-parse', 'HEAD'], made.worktreePath)).toBe(head);
    expect(c.git(['symbolic-ref', 'HEAD'], made.worktreePath)).toBe('refs/heads/feature/one');
    expect(await c.client.call('worktrees.get', { worktreeId: made.worktreeId })).toMatchObject({
      kind: 'managed',
      state: 'ready',
      index: 1,
      branch: 'feature/one',
      path: made.worktreePath,
      gitState: { currentSha: head, baseSha: head, hasChanges: false },
    });
    for (const event of await streams.both('worktree.created')) {
      expect(event).toMatchObject({
        alias: 'worktree-creation-completed',
        subject: { kind: 'worktree', id: made.worktreeId },
        data: {
          worktreeId: made.worktreeId,
          repositoryId: repositoryId(),
          branch: 'feature/one',
          path: made.worktreePath,
        },
      });
    }
    await streams.close();
  });

  it('for a prompt names the branch after it, and starts it on request', async () => {
    const prompt = '@write made.txt by the agent\n@commit Add the login form';
    const fields = {
      mode: 'prompt',
      prompt: `Add the login form, please!\n${prompt}`,
      autoStartSession: true,
      agentId: 'scripted',
    };
    const made = await make(fields);
    expect(made.branch).toBe('ac/add-login-form-please'.replace('-please', ''));
    const second = await make({ ...fields, autoStartSession: false });
    expect(second.branch).toBe(`${made.branch}-2`);
    expect([second.sessionId, second.taskId]).toEqual([undefined, undefined]);
    const sessionId = made.sessionId ?? '';
    await c.client.call('sessions.wait', { sessionId });
    expect(await c.client.call('sessions.get', { sessionId })).toMatchObject({
      type: 'worktree',
      worktreeId: made.worktreeId,
      repositoryId: repositoryId(),
      cwd: made.worktreePath,
      agentId: 'scripted',
      tasks: [{ id: made.taskId, status: 'completed' }],
      gitState: { ref: made.branch, baseSha: c.git(['rev-parse', 'main']) },
    });
    expect(c.git(['show', `${made.branch}:made.txt`])).toBe('by the agent');
    expect(c.git(['log', '-1', '--format=%s', made.branch])).toBe('Add the login form');
  });

  it('without a prompt starts a session that waits', async () => {
    const fields = { mode: 'custom', branch: 'waiting', autoStartSession: true, agentId: 'scripted', title: 'Waits' };
    const made = await make(fields);
    const session = await c.client.call('sessions.get', { sessionId: made.sessionId ?? '' });
    expect(session).toMatchObject({ title: 'Waits', status: 'idle', workers: [], tasks: [] });
  });

  it('checks out a branch that another worktree has left', async () => {
    const { worktreePath } = await make({ mode: 'custom', branch: 'left' });
    c.git(['switch', '--quiet', '--create', 'instead-of-left'], worktreePath);
    const made = await make({ mode: 'existing', branch: 'left' });
    expect(c.git(['branch', '--show-current'], made.worktreePath)).toBe('left');
  });

  it('keeps its branch if git checks the branch out once more elsewhere', async () => {
    const { worktreeId } = await make({ mode: 'custom', branch: 'twice' });
    const path = join(c.folder, 'twice');
    c.git(['worktree', 'add', '--quiet', '--force', path, 'twice']);
    for (let times = 0; times < 2; times += 1) {
      const worktrees = await worktreesOf();
      expect(worktrees.find(({ id }) => id === worktreeId)).toMatchObject({ branch: 'twice' });
      expect(worktrees.find((each) => each.path === path)).toMatchObject({ kind: 'adopted', branch: null });
    }
    c.git(['worktree', 'remove', path]);
  });

  it('checks out an existing branch as it is', async () => {
    c.git(['branch', 'older', 'main']);
    c.git(['commit', '--quiet', '--allow-empty', '-m', 'Later']);
    const made = await make({ mode: 'existing', branch: 'older' });
    expect(c.git(['rev-parse', 'HEAD'], made.worktreePath)).toBe(c.git(['rev-parse', 'main~1']));
    const refused = (fields: Record<string, unknown>) =>
      refusal(
        c.client.call('worktrees.create', { repositoryId: repositoryId(), mode: 'existing', ...fields } as never),
      );
    expect(await refused({ branch: 'nowhere' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refused({ branch: 'older' })).toMatchObject({
      code: 'CONFLICT',
      details: { path: made.worktreePath },
    });
    expect(await refused({ branch: 'main' })).toMatchObject({ code: 'CONFLICT', details: { path: c.repository.path } });
    expect(await refused({ branch: 'older', baseBranch: 'main' })).toMatchObject({ code: 'VALIDATION' });
    expect(await refused({})).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('branch') });
  });

  it('warns of submodules unless the setup command checks them out', async () => {
    const { id, path } = await c.addRepository('super');
    const allowed = ['-c', 'protocol.file.allow=always'];
    c.git([...allowed, 'submodule', '--quiet', 'add', c.repository.path, 'sub'], path);
    c.git(['-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '--quiet', '-m', 'Add sub'], path);
    const warningsOf = async (branch: string) => {
      const fields = { repositoryId: id, mode: 'custom', branch, wait: true } as const;
      const { jobId } = await c.client.call('worktrees.create', fields);
      return (await c.client.call('jobs.get', { jobId })).result?.warnings;
    };
    expect(await warningsOf('empty')).toEqual([
      expect.stringMatching(/^Submodules are not checked out in the worktree: sub\. .*git submodule update --init/),
    ]);
    const setupCommand = `git ${allowed.join(' ')} submodule --quiet update --init`;
    await c.client.call('repositories.update', { repositoryId: id, setupCommand });
    expect(await warningsOf('checked-out')).toEqual([]);
  });

  it('starts at any commit, or at a branch of origin', async () => {
    const origin = join(c.folder, 'origin.git');
    c.git(['init', '--quiet', '--bare', '-b', 'main', origin], c.folder);
    c.git(['remote', 'add', 'origin', origin]);
    c.git(['push', '--quiet', 'origin', 'main']);
    const remote = join(c.folder, 'colleague');
    c.git(['clone', '--quiet', origin, remote], c.folder);
    c.git(['commit', '--quiet', '--allow-empty', '-m', 'Newer'], remote);
    c.git(['push', '--quiet', 'origin', 'main'], remote);
    const shas = {
      old: c.git(['rev-parse', 'main~1']),
      here: c.git(['rev-parse', 'main']),
      there: c.git(['rev-parse', 'main'], remote),
    };
    const at = async (fields: Record<string, unknown>) =>
      c.git(['rev-parse', 'HEAD'], (await make({ mode: 'custom', ...fields })).worktreePath);
    expect(await at({ branch: 'b1', baseBranch: 'main~1' })).toBe(shas.old);
    expect(await at({ branch: 'b2', baseBranch: shas.old.slice(0, 10) })).toBe(shas.old);
    expect(await at({ branch: 'b3', baseBranch: 'main' })).toBe(shas.here);
    expect(await at({ branch: 'b4', baseBranch: 'main', useRemote: true })).toBe(shas.there);
    expect(c.git(['rev-parse', 'main'])).toBe(shas.here);
  });

  it('that fails leaves nothing and is reported on both streams', async () => {
    const repository = await c.addRepository('failing');
    await c.client.call('repositories.update', { repositoryId: repository.id, setupCommand: 'kill -KILL $$' });
    const streams = await listen();
    const fields = { repositoryId: repository.id, mode: 'custom', branch: 'doomed' } as const;
    const { jobId } = await c.client.call('worktrees.create', fields);
    const job = await jobEnd(jobId);
    expect(job).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('SIGKILL') } });
    for (const event of await streams.both('worktree.failed')) {
      expect(event).toMatchObject({ alias: 'worktree-creation-failed', data: { error: { code: job.error?.code } } });
    }
    await streams.close();
    expect((await worktreesOf(repository.id)).map(({ kind }) => kind)).toEqual(['main']);
    expect(c.git(['branch', '--list', 'doomed'], repository.path)).toBe('');
    expect(c.git(['worktree', 'list', '--porcelain'], repository.path).match(/^worktree /gm)).toHaveLength(1);
  });

  it('happens once per idempotency key', async () => {
    const path = `/repositories/${repositoryId()}/worktrees`;
    const post = (branch: string) => send(c, 'POST', path, { mode: 'custom', branch }, { 'Idempotency-Key': 'once' });
    const [one, two] = await Promise.all([post('keyed'), post('keyed')]);
    expect([one.status, two.status, two.body]).toEqual([202, 202, one.body]);
    await jobEnd(String(one.body.jobId));
    expect((await post('keyed')).body).toEqual(one.body);
    expect(await post('other')).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect((await worktreesOf()).filter(({ branch }) => branch === 'keyed' || branch === 'other')).toHaveLength(1);
  });

  it('is rejected with an existing branch, and with a name that git does not accept', async () => {
    const create = (branch: string) =>
      refusal(c.client.call('worktrees.create', { repositoryId: repositoryId(), mode: 'custom', branch }));
    expect(await create('main')).toMatchObject({ code: 'CONFLICT', details: { branch: 'main' } });
    for (const branch of ['-b', 'a b', 'a..b', 'a\nb', 'HEAD', 'a/', '.x', 'x.lock', 'a~1', '@{-1}', '']) {
      expect(await create(branch)).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('branch') });
    }
    c.git(['branch', 'folder/inner']);
    const job = await c.client.call('worktrees.create', {
      repositoryId: repositoryId(),
      mode: 'custom',
      branch: 'folder',
    });
    expect(await jobEnd(job.jobId)).toMatchObject({ state: 'failed', error: { code: 'CONFLICT' } });
  });
});

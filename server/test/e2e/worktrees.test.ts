import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { refusal, send } from '../support/calling.ts';
import { startConsole, type TestConsole } from '../support/console.ts';

let c: TestConsole;
beforeAll(async () => {
  c = await startConsole();
});
afterAll(() => c.close());

const repositoryId = () => c.repository.id;

async function jobEnd(jobId: string) {
  return c.until('the end of a job', async () => {
    const job = await c.client.call('jobs.get', { jobId });
    return job.state !== 'running' && job;
  });
}

/** Creates a worktree and answers its job's result. */
async function make(fields: Record<string, unknown>) {
  const { status, body } = await send(c, 'POST', `/repositories/${repositoryId()}/worktrees`, fields);
  expect({ status, body }).toEqual({ status: 202, body: { jobId: expect.any(String) } });
  const job = await jobEnd(String(body.jobId));
  expect(job).toMatchObject({
    kind: 'worktree-creation',
    state: 'succeeded',
    progress: { fraction: 1, phase: 'done' },
  });
  return job.result as {
    worktreeId: string;
    branch: string;
    worktreePath: string;
    warnings: string[];
    sessionId?: string;
    taskId?: string;
  };
}

const worktreesOf = async (id = repositoryId()) =>
  (await c.client.call('worktrees.list', { repositoryId: id, limit: 500 })).data;

/** Everything both live streams tell from now on. */
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
    /** The one event of this type, as each stream told it. */
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
  it('of a new branch makes it on disk and in git, and both streams tell so under either name', async () => {
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

  it('for a prompt names the branch after it, and starts on it where that is asked for', async () => {
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

  it('takes a branch that exists as it is', async () => {
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

  it('begins at any commit, or at what origin has', async () => {
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

  it('that fails leaves nothing and says so on both streams', async () => {
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

  it('is done once per idempotency key', async () => {
    const path = `/repositories/${repositoryId()}/worktrees`;
    const post = (branch: string) => send(c, 'POST', path, { mode: 'custom', branch }, { 'Idempotency-Key': 'once' });
    const [one, two] = await Promise.all([post('keyed'), post('keyed')]);
    expect([one.status, two.status, two.body]).toEqual([202, 202, one.body]);
    await jobEnd(String(one.body.jobId));
    expect((await post('keyed')).body).toEqual(one.body);
    expect(await post('other')).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect((await worktreesOf()).filter(({ branch }) => branch === 'keyed' || branch === 'other')).toHaveLength(1);
  });

  it('is refused with a branch that exists, and with a name that git would refuse', async () => {
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

describe('worktrees made by hand', () => {
  it('are adopted, can be worked in, follow git, and are never removed by us', async () => {
    const path = join(c.folder, 'by-hand');
    c.git(['worktree', 'add', '--quiet', '-b', 'mine', path]);
    const adopted = (await worktreesOf()).find((worktree) => worktree.path === path);
    expect(adopted).toMatchObject({ kind: 'adopted', name: 'by-hand', branch: 'mine', index: null, state: 'ready' });
    const worktreeId = adopted?.id ?? '';
    const fields = { worktreeId, agentId: 'scripted', initialPrompt: '@write from-agent.txt x' };
    const { id } = await c.client.call('sessions.create', fields);
    await c.client.call('sessions.wait', { sessionId: id });
    expect(existsSync(join(path, 'from-agent.txt'))).toBe(true);
    expect(await refusal(c.client.call('worktrees.remove', { worktreeId, force: true }))).toMatchObject({
      code: 'UNSUPPORTED',
    });
    c.git(['switch', '--quiet', '-c', 'renamed'], path);
    expect((await worktreesOf()).find((worktree) => worktree.id === worktreeId)).toMatchObject({ branch: 'renamed' });
    await c.client.call('sessions.stop', { sessionId: id });
    c.git(['worktree', 'remove', '--force', path]);
    expect((await worktreesOf()).some((worktree) => worktree.id === worktreeId)).toBe(false);
  });
});

describe('an agent whose sandbox lets it commit', () => {
  it('may write the git directory of its own worktree, not that of a namesake or of where it leads now', async () => {
    const program = join(c.folder, 'sandboxed');
    const seen = join(c.folder, 'sandboxed-args');
    const record = `printf '%s\\n' "$@" > '${seen}.part' && mv '${seen}.part' '${seen}'; exec sleep 600`;
    writeFileSync(program, `#!/bin/sh\ncase "$1" in --version|--help) exit 0;; esac\n${record}\n`, { mode: 0o755 });
    await c.client.call('agents.create', { id: 'sandboxed', name: 'Sandboxed', kind: 'codex', command: [program] });
    const [first, second] = ['a', 'b'].map((folder) => join(c.folder, folder, 'namesake'));
    c.git(['worktree', 'add', '--quiet', '-b', 'namesake-a', String(first)]);
    c.git(['worktree', 'add', '--quiet', '-b', 'namesake-b', String(second)]);
    const worktreeId = (await worktreesOf()).find(({ path }) => path === second)?.id ?? '';
    const start = async () => {
      rmSync(seen, { force: true });
      const { id: sessionId } = await c.client.call('sessions.create', { worktreeId, agentId: 'sandboxed' });
      const { warnings } = await c.client.call('workers.create', { sessionId, type: 'agent' });
      const args = await c.until('its start', async () => existsSync(seen) && readFileSync(seen, 'utf8').split('\n'));
      await c.client.call('sessions.stop', { sessionId });
      const folders = args.filter((_, at) => args[at - 1] === '--add-dir');
      return { folders, warnings };
    };

    const gitDir = c.git(['rev-parse', '--absolute-git-dir'], second);
    const { folders, warnings } = await start();
    expect(folders.filter((folder) => folder.includes('/worktrees/'))).toEqual([gitDir]);
    expect(warnings.join()).not.toContain('git directory');

    writeFileSync(join(String(second), '.git'), `gitdir: ${c.git(['rev-parse', '--absolute-git-dir'], first)}\n`);
    const led = await start();
    expect(led.folders).toEqual([]);
    expect(led.warnings.join()).toContain('now leads to the git directory');

    writeFileSync(join(String(second), '.git'), `gitdir: ${gitDir}\n`);
    for (const path of [first, second]) c.git(['worktree', 'remove', '--force', String(path)]);
  });
});

describe('worktrees of git', () => {
  it('are taken in once, however many ask at the same time, and may swap their branches', async () => {
    const [a, b] = ['swap-a', 'swap-b'].map((name) => {
      c.git(['worktree', 'add', '--quiet', '-b', name, join(c.folder, name)]);
      return join(c.folder, name);
    });
    const lists = await Promise.all(Array.from({ length: 8 }, () => worktreesOf()));
    for (const list of lists) expect(list).toEqual(lists[0]);
    c.git(['switch', '--quiet', '--detach'], a);
    c.git(['switch', '--quiet', 'swap-a'], b);
    c.git(['switch', '--quiet', 'swap-b'], a);
    const found = await worktreesOf();
    expect(found.filter(({ path }) => path === a || path === b).map(({ name, branch }) => [name, branch])).toEqual([
      ['swap-a', 'swap-b'],
      ['swap-b', 'swap-a'],
    ]);
  });
});

describe('removing a worktree', () => {
  it('waits for its live session, tells what would be lost, saves it, and can be undone', async () => {
    const made = await make({ mode: 'custom', branch: 'kept', autoStartSession: true, agentId: 'scripted' });
    const { worktreeId, worktreePath: path } = made;
    const sessionId = made.sessionId ?? '';
    await c.client.call('sessions.prompt', { sessionId, prompt: '@write committed.txt one\n@commit Only here' });
    await c.client.call('sessions.wait', { sessionId });
    expect(await refusal(c.client.call('worktrees.remove', { worktreeId, force: true }))).toMatchObject({
      code: 'CONFLICT',
      details: { sessionId },
      message: expect.stringContaining(sessionId),
    });
    await c.client.call('sessions.stop', { sessionId });
    writeFileSync(join(path, 'readme.md'), '# changed\n');
    writeFileSync(join(path, 'staged.txt'), 'staged\n');
    c.git(['add', 'staged.txt'], path);
    writeFileSync(join(path, 'untracked.txt'), 'untracked\n');
    const before = c.git(['status', '--porcelain'], path);
    const head = c.git(['rev-parse', 'HEAD'], path);
    const refused = await refusal(c.client.call('worktrees.remove', { worktreeId }));
    expect(refused).toMatchObject({
      code: 'CONFLICT',
      details: {
        lost: {
          uncommitted: ['readme.md', 'staged.txt'],
          untracked: ['untracked.txt'],
          unpushed: [expect.stringContaining('Only here')],
        },
      },
    });
    expect(existsSync(path)).toBe(true);
    const removed = await c.client.call('worktrees.remove', { worktreeId, force: true });
    expect(removed).toMatchObject({
      worktree: { state: 'removed' },
      lost: refused.details.lost,
      leftOut: [],
      warnings: [],
    });
    expect(existsSync(path)).toBe(false);
    expect(c.git(['rev-parse', '--verify', removed.recoveryRef])).toMatch(/^[0-9a-f]{40}$/);
    expect((await worktreesOf()).some(({ id }) => id === worktreeId)).toBe(false);

    const restored = await c.client.call('worktrees.restore', { worktreeId });
    expect(restored).toMatchObject({ state: 'ready', path, branch: 'kept', gitState: { currentSha: head } });
    expect(c.git(['status', '--porcelain'], path)).toBe(before);
    expect(readFileSync(join(path, 'untracked.txt'), 'utf8')).toBe('untracked\n');
    await c.client.call('sessions.prompt', { sessionId, prompt: '@recall 1' });
    await c.client.call('sessions.wait', { sessionId });
    const { text } = await c.client.call('sessions.output', { sessionId, sinceOffset: 0 });
    expect(text).toContain('message 1: @write committed.txt one');
    expect(await refusal(c.client.call('worktrees.restore', { worktreeId }))).toMatchObject({ code: 'CONFLICT' });
  });

  it('needs no force while nothing would be lost, and runs the cleanup command in it', async () => {
    const seen = join(c.folder, 'cleaned');
    await c.client.call('repositories.update', { repositoryId: repositoryId(), cleanupCommand: `pwd > '${seen}'` });
    const { worktreeId, worktreePath } = await make({ mode: 'custom', branch: 'clean' });
    expect(await c.client.call('worktrees.remove', { worktreeId })).toMatchObject({ warnings: [] });
    expect(readFileSync(seen, 'utf8').trim()).toBe(worktreePath);
    await c.client.call('repositories.update', { repositoryId: repositoryId(), cleanupCommand: null });
    expect(await refusal(c.client.call('worktrees.remove', { worktreeId }))).toMatchObject({
      code: 'CONFLICT',
      details: { state: 'removed' },
    });
  });

  it('fails a prompt to a session that was in it: nothing runs elsewhere', async () => {
    const made = await make({ mode: 'custom', branch: 'gone', autoStartSession: true, agentId: 'scripted' });
    await c.client.call('worktrees.remove', { worktreeId: made.worktreeId });
    const { taskId } = await c.client.call('sessions.prompt', {
      sessionId: made.sessionId ?? '',
      prompt: '@say hello',
    });
    const task = await c.until('the end of the task', async () => {
      const found = await c.client.call('tasks.get', { taskId });
      return found.status === 'failed' && found;
    });
    expect(task).toMatchObject({ outcomeSource: 'system', error: { code: 'NOT_FOUND' } });
  });

  it('never takes the main checkout', async () => {
    const main = (await worktreesOf()).find(({ kind }) => kind === 'main');
    expect(main).toMatchObject({ path: c.repository.path, branch: 'main', index: null });
    const remove = c.client.call('worktrees.remove', { worktreeId: main?.id ?? '', force: true });
    expect(await refusal(remove)).toMatchObject({ code: 'UNSUPPORTED' });
  });
});

describe('a worktree whose folder was deleted by hand', () => {
  it('is made again from its branch before the next turn', async () => {
    const made = await make({ mode: 'custom', branch: 'again', autoStartSession: true, agentId: 'scripted' });
    rmSync(made.worktreePath, { recursive: true });
    const sessionId = made.sessionId ?? '';
    await c.client.call('sessions.prompt', { sessionId, prompt: '@write here.txt yes' });
    await c.client.call('sessions.wait', { sessionId });
    expect(readFileSync(join(made.worktreePath, 'here.txt'), 'utf8')).toBe('yes');
    expect(c.git(['symbolic-ref', 'HEAD'], made.worktreePath)).toBe('refs/heads/again');
  });
});

describe('a repository', () => {
  it('is registered once, by any folder of it', async () => {
    const path = join(c.folder, 'nested');
    mkdirSync(join(path, 'deep/er'), { recursive: true });
    c.git(['init', '--quiet', '-b', 'trunk'], path);
    c.git(['commit', '--quiet', '--allow-empty', '-m', 'First'], path);
    const { status, body } = await send(c, 'POST', '/repositories', { path: join(path, 'deep/er') });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { path, name: 'nested', defaultBranch: 'trunk', url: null },
    });
    c.git(['worktree', 'add', '--quiet', '-b', 'linked', join(c.folder, 'linked')], path);
    for (const again of [path, join(path, 'deep'), join(c.folder, 'linked')]) {
      expect(await refusal(c.client.call('repositories.create', { path: again }))).toMatchObject({
        code: 'CONFLICT',
        details: { repositoryId: body.id },
      });
    }
  });

  it('is not registered where there is none', async () => {
    const { total } = await c.client.call('repositories.list', {});
    const plain = join(c.folder, 'plain');
    mkdirSync(plain);
    for (const path of [
      plain,
      join(c.folder, 'missing'),
      'relative',
      join(c.folder, 'shop/readme.md'),
      join(c.folder, 'origin.git'),
    ]) {
      expect(await refusal(c.client.call('repositories.create', { path }))).toMatchObject({ code: 'VALIDATION' });
    }
    for (const input of [{}, { path: plain, url: 'https://example.com/a/b.git' }]) {
      expect(await refusal(c.client.call('repositories.create', input))).toMatchObject({ code: 'VALIDATION' });
    }
    expect((await c.client.call('repositories.list', {})).total).toBe(total);
  });

  it('is not cloned from addresses that run commands or read the disk', async () => {
    const touched = join(c.folder, 'touched');
    for (const url of [
      `ext::sh -c touch% ${touched}`,
      `file://${c.repository.path}`,
      c.repository.path,
      '--upload-pack=touch x',
      'http://example.com/a/b.git',
      'git://example.com/a/b.git',
      'ssh://-oProxyCommand=touch/x',
      '-x@example.com:a/b',
    ]) {
      expect({ url, ...(await refusal(c.client.call('repositories.create', { url }))) }).toMatchObject({
        url,
        code: 'VALIDATION',
      });
    }
    expect(existsSync(touched)).toBe(false);
  });

  it('that cannot be cloned leaves nothing but a failed job', async () => {
    const { status, body } = await send(c, 'POST', '/repositories', { url: 'https://127.0.0.1:1/team/tool.git' });
    expect(status).toBe(202);
    const job = await jobEnd(String(body.jobId));
    expect(job).toMatchObject({ kind: 'repository-clone', state: 'failed', error: { code: 'GIT_FAILED' } });
    expect(existsSync(join(c.home, 'repositories/team/tool/repository'))).toBe(false);
  });

  it('has commands that a person saves, and that run in its new worktrees', async () => {
    const repository = await c.addRepository('commands');
    const update = (fields: object) => c.client.call('repositories.update', { repositoryId: repository.id, ...fields });
    const setupCommand = 'echo "$PWD" > where.txt; env > env.txt; echo trouble >&2; exit 1';
    expect(await update({ setupCommand, checkCommand: 'npm test' })).toMatchObject({
      setupCommand,
      checkCommand: 'npm test',
    });
    const fields = { repositoryId: repository.id, mode: 'custom', branch: 'set-up' } as const;
    const { result } = await jobEnd((await c.client.call('worktrees.create', fields)).jobId);
    const { worktreePath, warnings } = result as { worktreePath: string; warnings: string[] };
    expect(warnings).toEqual([expect.stringMatching(/code 1.*trouble/s)]);
    expect(readFileSync(join(worktreePath, 'where.txt'), 'utf8').trim()).toBe(worktreePath);
    // It is told nothing of the console but that it is nobody there: not the owner who saved it.
    const ours = readFileSync(join(worktreePath, 'env.txt'), 'utf8').match(/^AGENT_CONSOLE_.*$/gm);
    expect(ours).toEqual(['AGENT_CONSOLE_WORKER_ID=command']);
    expect(await update({ setupCommand: null })).toMatchObject({ setupCommand: null, checkCommand: 'npm test' });
    expect(await refusal(update({ defaultBranch: 'nowhere' }))).toMatchObject({ code: 'VALIDATION' });
    expect(await refusal(update({ setupCommand: '' }))).toMatchObject({ code: 'VALIDATION' });
    expect(await refusal(update({ setupCommand: 'a\0b' }))).toMatchObject({ code: 'VALIDATION' });

    const worktreeId = String((result as { worktreeId: string }).worktreeId);
    const remove = () => c.client.call('repositories.remove', { repositoryId: repository.id });
    expect(await refusal(remove())).toMatchObject({ code: 'CONFLICT', details: { worktreeIds: [worktreeId] } });
    await c.client.call('worktrees.remove', { worktreeId, force: true });
    expect(await remove()).toMatchObject({ id: repository.id });
    expect(existsSync(join(repository.path, 'readme.md'))).toBe(true);
    expect(await refusal(c.client.call('repositories.get', { repositoryId: repository.id }))).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await c.client.call('repositories.create', { path: repository.path })).toMatchObject({
      path: repository.path,
    });
  });
});

import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stored } from '../e2e/support/people.ts';
import { worktreesIn } from '../e2e/support/worktrees.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal, send } from '../support/calling.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const { jobEnd } = worktreesIn(() => c);

describe('a repository', () => {
  it('is registered once, by any of its folders', async () => {
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

  it('is not registered for a folder outside any repository', async () => {
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

  it('is not cloned from URLs that run commands or read the disk', async () => {
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

  it('that cannot be cloned leaves only a failed job', async () => {
    const { status, body } = await send(c, 'POST', '/repositories', { url: 'https://127.0.0.1:1/team/tool.git' });
    expect(status).toBe(202);
    const job = await jobEnd(String(body.jobId));
    expect(job).toMatchObject({ kind: 'repository-clone', state: 'failed', error: { code: 'GIT_FAILED' } });
    expect(job.progress.phase).toBe('connecting');
    expect(existsSync(join(c.home, 'repositories/team/tool/repository'))).toBe(false);
  });

  it('gets the next free folder while a clone of the same name runs', async () => {
    const held: Socket[] = [];
    // A remote that accepts connections and does not answer, so that the clones run until the test closes the
    // connections.
    const remote = createServer((socket) => held.push(socket.on('error', () => {})));
    await once(remote.listen(0, '127.0.0.1'), 'listening');
    const { port } = remote.address() as AddressInfo;
    const url = `https://127.0.0.1:${port}/crew/tool.git`;
    const start = async () => (await send(c, 'POST', '/repositories', { url })).body.jobId;
    const jobs = [...(await Promise.all([start(), start()])), await start()].map(String);
    const targets = stored(c, "select params ->> 'target' as target from jobs where params like '%/crew/%'");
    const names = ['tool', 'tool-2', 'tool-3'];
    const expected = names.map((name) => join(c.home, 'repositories/crew', name, 'repository'));
    expect(new Set(targets.map(({ target }) => target))).toEqual(new Set(expected));
    await c.until('the connections of all clones', async () => held.length === jobs.length);
    remote.close();
    for (const socket of held) socket.destroy();
    for (const job of jobs) expect(await jobEnd(job)).toMatchObject({ state: 'failed', error: { code: 'GIT_FAILED' } });
  });

  it.each(['https://bob:s3cret@localhost/tool.git', 'https://s3cret@localhost/tool.git'])(
    'is cloned without storing the credentials of %s',
    async (url) => {
      const made = await c.client.call('repositories.create', { url });
      if (!('jobId' in made)) throw new Error('the clone is no job');
      expect(await jobEnd(made.jobId)).toMatchObject({ state: 'failed', error: { code: 'GIT_FAILED' } });
      const [row] = stored(c, `select * from jobs where id = '${made.jobId}'`);
      expect(row?.params).toContain('localhost/tool');
      expect(JSON.stringify(row)).not.toContain('s3cret');
    },
  );

  it('is named after the last part of its URL, or as requested', async () => {
    const remote = 'https://clone.example/';
    const clone = async (url: string, name?: string) => {
      c.git(['config', '--global', '--replace-all', `url.file://${c.repository.path}.insteadOf`, url]);
      const made = await c.client.call('repositories.create', { url, ...(name === undefined ? {} : { name }) });
      if (!('jobId' in made)) throw new Error('the clone is no job');
      const { result } = await jobEnd(made.jobId);
      const { repositoryId } = result as { repositoryId: string };
      const { name: own, path } = await c.client.call('repositories.get', { repositoryId });
      expect(path).not.toContain('alice');
      return own;
    };
    expect(await clone(`${remote}one/tool.git`)).toBe('tool');
    expect(await clone(`${remote}two/tool`)).toBe('tool-2');
    expect(await clone('git@clone.example:tools/hammer.git/')).toBe('hammer');
    expect(await clone('alice@clone.example:saw.git')).toBe('saw');
    expect(await clone(`${remote}one/tool.git/`)).toBe('tool-3');
    expect(await clone(`${remote}three/tool.git`, 'tool')).toBe('tool');
    expect(await clone(`${remote}.git`)).toBe('clone.example');
    expect(await clone(`${remote}team/..`)).toBe('repository');
  });

  it('has commands saved by a person, which run in its new worktrees', async () => {
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
    // The setup command of a repository gets no token, so it cannot act as the owner who saved it.
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

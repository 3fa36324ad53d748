import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RISK_LIST_MAX } from '@agent-console/shared/limits/git';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillDisk } from '../e2e/support/planted.ts';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { refusal } from '../support/calling.ts';
import { runInProcess } from '../support/cli.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const repositoryId = () => c.repository.id;
const remove = (worktreeId: string, force = false) => c.client.call('worktrees.remove', { worktreeId, force });
const restore = (worktreeId: string) => c.client.call('worktrees.restore', { worktreeId });
const list = async () => (await c.client.call('worktrees.list', { repositoryId: repositoryId() })).data;

async function make(branch: string) {
  const fields = { repositoryId: repositoryId(), mode: 'either', branch, wait: true } as const;
  const { worktree } = await c.client.call('worktrees.create', fields);
  if (worktree === undefined) throw new Error('was not waited for');
  return { worktreeId: worktree.id, path: worktree.path };
}

function write(folder: string, name: string, content: string, bytes?: number): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), content);
  if (bytes !== undefined) truncateSync(join(folder, name), bytes);
}

/** Creates a repository inside a worktree, with one commit. Returns the commit. */
function nest(folder: string): string {
  write(folder, 'p', 'p\n');
  c.git(['init', '--quiet'], folder);
  c.git(['add', 'p'], folder);
  c.git(['-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '--quiet', '-m', 'p'], folder);
  return c.git(['rev-parse', 'HEAD'], folder);
}

const commit = (path: string) =>
  c.git(['-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '--quiet', '-m', 'One'], path);

describe('the removal of a worktree', () => {
  it('saves a nested repository, and names one that is too large before force', async () => {
    const { worktreeId, path } = await make('nested');
    const head = nest(join(path, 'sub'));
    nest(join(path, 'large'));
    write(join(path, 'large'), 'huge.bin', '', 101 * 1024 * 1024);
    const refused = await refusal(remove(worktreeId));
    expect(refused).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('1 file cannot be saved: large/.'),
      details: { lost: { untracked: ['large/', 'sub/'], leftOut: ['large/'] } },
    });
    rmSync(join(path, 'large'), { recursive: true });
    expect(await refusal(remove(worktreeId))).toMatchObject({
      message: expect.not.stringContaining('cannot be saved'),
      details: { lost: { untracked: ['sub/'], leftOut: [] } },
    });
    expect(await remove(worktreeId, true)).toMatchObject({ leftOut: [], warnings: [] });
    expect(await restore(worktreeId)).toMatchObject({ state: 'ready', warnings: [] });
    expect(c.git(['rev-parse', 'HEAD'], join(path, 'sub'))).toBe(head);
    expect(readFileSync(join(path, 'sub/p'), 'utf8')).toBe('p\n');
  });

  it('is refused with the number of all files, also of those that are not listed', async () => {
    const { worktreeId, path } = await make('many');
    for (let number = 0; number <= RISK_LIST_MAX; number += 1) writeFileSync(join(path, `${number}.txt`), '');
    const { message, details } = await refusal(remove(worktreeId));
    expect(message).toContain(` has ${RISK_LIST_MAX + 1} untracked files.`);
    expect(details.lost).toMatchObject({ untracked: { length: RISK_LIST_MAX }, more: 1 });
    expect(details.lost).not.toHaveProperty('counts');
  });

  it('says on the command line what it saved, and lists only what it did not', async () => {
    const { worktreeId, path } = await make('told');
    for (const name of ['one.txt', 'two.txt']) write(path, name, `${name}\n`);
    nest(join(path, 'large'));
    write(join(path, 'large'), 'huge.bin', '', 101 * 1024 * 1024);
    const args = ['--url', c.baseUrl, 'worktrees', 'remove', worktreeId, '--force', '--yes'];
    const { code, out } = await runInProcess(args, { PATH: process.env.PATH ?? '' });
    expect({ code, lines: out.trimEnd().split('\n') }).toEqual({
      code: 0,
      lines: [
        expect.stringMatching(/^Worktree wt-\S+ removed\.$/),
        `Saved for 30 days: 2 untracked files. To restore: agent-console worktrees restore ${worktreeId}`,
        'Lost: large/',
      ],
    });
  });

  it('needs no force for ignored files: it saves files written by people, and names unsaved ones', async () => {
    const { worktreeId, path } = await make('ignored');
    write(path, '.gitignore', 'node_modules/\n.env\n');
    c.git(['add', '.gitignore'], path);
    commit(path);
    c.git(['branch', 'ignored-too'], path);
    write(path, '.env', 'SECRET=1\n');
    for (let number = 0; number < 101; number += 1) write(join(path, 'node_modules'), `${number}.js`, '');
    const { lost, leftOut, warnings } = await remove(worktreeId);
    expect(lost.ignored).toEqual([
      { path: '.env', bytes: 9, saved: true },
      { path: 'node_modules/', bytes: 0, saved: false },
    ]);
    expect(leftOut).toEqual([]);
    expect(warnings).toEqual(['Files that git ignores are not saved: node_modules/.']);
    await restore(worktreeId);
    expect(readFileSync(join(path, '.env'), 'utf8')).toBe('SECRET=1\n');
    expect(existsSync(join(path, 'node_modules'))).toBe(false);
  });

  it('is done once if two callers remove the same worktree, also if the second could not save it', async () => {
    const { worktreeId, path } = await make('removed-twice');
    write(path, 'unsaved.txt', 'unsaved\n');
    const cleaning = join(c.home, 'cleaning');
    const cleanupCommand = `touch '${cleaning}'; while [ -e '${cleaning}' ]; do sleep 0.05; done`;
    await c.client.call('repositories.update', { repositoryId: repositoryId(), cleanupCommand });
    const first = remove(worktreeId, true);
    await c.until('the cleanup command', async () => existsSync(cleaning));
    // Git cannot write the new object, because a file has the name of the object's folder.
    const prefixOf = (content: string) => createHash('sha1').update(`blob ${content.length}\0${content}`).digest('hex');
    const objects = join(c.repository.path, '.git/objects');
    const blocking = (content: string) => join(objects, prefixOf(content).slice(0, 2));
    const content = Array.from({ length: 1_000 }, (_, at) => `${at}`).find((each) => !existsSync(blocking(each))) ?? '';
    writeFileSync(blocking(content), '');
    write(path, 'late.txt', content);
    const second = refusal(remove(worktreeId, true));
    await Promise.race([second, list()]);
    rmSync(blocking(content));
    rmSync(cleaning);
    await c.client.call('repositories.update', { repositoryId: repositoryId(), cleanupCommand: null });
    expect((await first).worktree.state).toBe('removed');
    expect(await second).toMatchObject({ code: 'CONFLICT', details: { state: 'removed' } });
    await restore(worktreeId);
    expect(readFileSync(join(path, 'unsaved.txt'), 'utf8')).toBe('unsaved\n');
  });

  it('asks about a rebase in progress, and reports on removal and restore that it ends', async () => {
    const { worktreeId, path } = await make('rebased');
    write(path, 'r.txt', 'ours\n');
    c.git(['add', 'r.txt'], path);
    commit(path);
    c.git(['checkout', '--quiet', '-b', 'onto', 'main'], path);
    write(path, 'r.txt', 'theirs\n');
    c.git(['add', 'r.txt'], path);
    commit(path);
    c.git(['checkout', '--quiet', 'rebased'], path);
    expect(() => c.git(['rebase', 'onto'], path)).toThrow();
    expect(await refusal(remove(worktreeId))).toMatchObject({
      message: expect.stringContaining('a rebase in progress, which cannot be saved'),
      details: { lost: { inProgress: { operation: 'rebase', saved: false } } },
    });
    expect((await remove(worktreeId, true)).warnings).toEqual([expect.stringContaining('rebase')]);
    expect((await restore(worktreeId)).warnings).toEqual([expect.stringContaining('rebase')]);
  });
});

describe('a removed worktree', () => {
  it('has the git status of its removal, and the current one once restored', async () => {
    const { worktreeId, path } = await make('counted');
    await c.client.call('worktrees.get', { worktreeId });
    write(path, 'one.txt', '1\n');
    write(path, 'two.txt', '2\n');
    const changed = { gitStatus: { dirtyFiles: 2 }, gitState: { hasChanges: true } };
    expect((await remove(worktreeId, true)).worktree).toMatchObject({ state: 'removed', ...changed });
    expect(await restore(worktreeId)).toMatchObject({ state: 'ready', ...changed });
  });

  it('is restored on its branch, with staged changes', async () => {
    const { worktreeId, path } = await make('lose4');
    c.git(['checkout', '--quiet', '-b', 'other'], path);
    write(path, 'o.txt', 'one\n');
    c.git(['add', 'o.txt'], path);
    commit(path);
    write(path, 'o.txt', 'staged\n');
    c.git(['add', 'o.txt'], path);
    write(path, 'o.txt', 'unstaged\n');
    await remove(worktreeId, true);
    expect(await restore(worktreeId)).toMatchObject({ branch: 'other', warnings: [] });
    expect(c.git(['status', '--porcelain', '--branch'], path)).toBe('## other\nMM o.txt');
    expect(c.git(['show', ':o.txt'], path)).toBe('staged');
  });

  it('is ready as soon as the disk has space for the end of its restoration', async () => {
    const { worktreeId, path } = await make('late');
    write(path, 'mine.txt', 'mine\n');
    await remove(worktreeId, true);
    const free = fillDisk(c, { event: 'insert', table: 'events', when: "new.type = 'worktree.restored'" });
    const restored = restore(worktreeId).catch((error: Error) => error);
    await c.until('the files', async () => existsSync(join(path, 'mine.txt')));
    expect(await c.client.call('worktrees.get', { worktreeId })).toMatchObject({ state: 'restoring' });
    free();
    expect(await restored).toMatchObject({ state: 'ready', branch: 'late' });
  });

  it('is restored detached, also after a listing has noticed that it was', async () => {
    const { worktreeId, path } = await make('detached');
    c.git(['checkout', '--quiet', '--detach'], path);
    write(path, 'mine.txt', 'mine\n');
    expect((await list()).find(({ id }) => id === worktreeId)).toMatchObject({ branch: null });
    await remove(worktreeId, true);
    expect(await restore(worktreeId)).toMatchObject({ state: 'ready', branch: null });
    expect(c.git(['status', '--porcelain', '--branch'], path)).toBe('## HEAD (no branch)\n?? mine.txt');
  });
});

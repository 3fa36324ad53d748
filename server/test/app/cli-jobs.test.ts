import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '@agent-console/shared/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessApp, startTestApp } from '../support/app.ts';
import { runInProcess } from '../support/cli.ts';

let c: InProcessApp;
beforeAll(async () => {
  c = await startTestApp();
});
afterAll(() => c.close());

const run = (...args: string[]) => runInProcess(['--url', c.baseUrl, ...args], { PATH: process.env.PATH ?? '' });

async function make(branch: string) {
  const fields = { repositoryId: c.repository.id, mode: 'custom', branch, wait: true } as const;
  const { worktree } = await c.client.call('worktrees.create', fields);
  if (worktree === undefined) throw new Error('was not waited for');
  return worktree;
}

function commit(path: string, name: string, content: string): void {
  writeFileSync(join(path, name), content);
  c.git(['add', '.'], path);
  c.git(['commit', '--quiet', '-m', `Change ${name}`], path);
}

describe('a command that starts a job', () => {
  it('waits for the job and prints its result; the exit status is 1 without success, or that of the error', async () => {
    const { id, path } = await make('first');
    commit(path, 'same.txt', 'first\n');
    const other = await make('second');
    commit(other.path, 'same.txt', 'second\n');
    const done = await run('integrate', id, '--strategy', 'squash', '--json');
    expect(done).toMatchObject({ code: 0 });
    expect(JSON.parse(done.out)).toMatchObject({ into: 'main', commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect((await run('integrate', id, '--strategy', 'rebase')).err).toContain('main already contained this work');
    expect((await run('worktrees', 'update-from-base', id)).err).not.toContain('up to date');
    expect((await run('worktrees', 'update-from-base', id)).err).toContain('Already up to date with main');
    const conflicting = await run('integrate', other.id);
    expect(conflicting.code).toBe(1);
    expect(conflicting.out).toContain('same.txt');
    writeFileSync(join(c.repository.path, 'same.txt'), 'of a person\n');
    const third = await make('third');
    commit(third.path, 'same.txt', 'first\nthird\n');
    const refused = await run('integrate', third.id);
    expect(refused).toMatchObject({
      code: 6,
      err: expect.stringContaining('CONFLICT: Branch main is checked out'),
    });
    const started = await run('integrate', other.id, '--dry-run', '--no-wait', '--json');
    expect(JSON.parse(started.out)).toEqual({ jobId: expect.any(String) });
  });
});

describe('a dry run', () => {
  it('shows what commit, check, push and pr would do, with the exit status of the outcome', async () => {
    const { id, path } = await make('planned');
    const read = async (...args: string[]) => {
      const { code, out, err } = await run(...args, '--dry-run', '--json');
      return { code, ...(out === '' ? { err } : JSON.parse(out)) };
    };
    writeFileSync(join(path, 'planned.txt'), 'planned\n');
    expect(await read('commit', id, '--message', 'Plan')).toMatchObject({ code: 0, paths: ['planned.txt'] });
    commit(path, 'planned.txt', 'planned\n');
    expect(await read('commit', id, '--message', 'Plan')).toMatchObject({ code: ERRORS.CONFLICT.exit });
    const repository = ['repositories', 'update', c.repository.id];
    await run(
      ...repository,
      '--check-command',
      'false',
      '--pull-request-command',
      'echo https://forge.example/pulls/1',
    );
    expect(await read('check', id)).toMatchObject({ code: 0, command: 'false', check: null });

    const remote = join(c.folder, 'remote.git');
    c.git(['init', '--quiet', '--bare', remote], c.folder);
    c.git(['remote', 'add', 'origin', remote], c.repository.path);
    expect(await run('push', id)).toMatchObject({ code: 0 });
    c.git(['commit', '--quiet', '--amend', '-m', 'Amended'], path);
    expect(await read('push', id)).toMatchObject({ code: 1, behind: 1 });
    expect(await read('pr', id)).toMatchObject({ code: 1, push: { behind: 1 } });
    expect(await read('push', id, '--force')).toMatchObject({ code: 0, behind: 1, forced: true });
    expect((await run('push', id, '--force', '--dry-run')).out).toContain('Amended');
    expect(await run('push', id, '--force')).toMatchObject({ code: 0 });
    expect(await read('pr', id, '--title', 'Planned')).toMatchObject({ code: 0, title: 'Planned', base: 'main' });
  });
});

/** Prints the changes of a worktree since `base` as a patch, and applies it to a new worktree at `base`. */
async function applyPatch(id: string, base: string, branch: string): Promise<{ patch: string; tree: string }> {
  const { out } = await run('worktrees', 'diff', id, '--base', base);
  const target = await make(branch);
  c.git(['reset', '--quiet', '--hard', base], target.path);
  execFileSync('git', ['apply', '--index', '--whitespace=nowarn'], { cwd: target.path, input: out });
  return { patch: out, tree: c.git(['write-tree'], target.path) };
}

describe('worktrees diff', () => {
  it('prints a patch that git applies, with untracked, renamed and deleted files', async () => {
    const { id, path } = await make('patched');
    commit(path, 'moved.txt', 'one\ntwo\nthree\nfour\n');
    commit(path, 'gone.txt', 'gone\n');
    const base = c.git(['rev-parse', 'HEAD'], path);
    c.git(['mv', 'moved.txt', 'there.txt'], path);
    c.git(['rm', '--quiet', 'gone.txt'], path);
    writeFileSync(join(path, 'there.txt'), 'one\ntwo\nthree\nfive');
    writeFileSync(join(path, 'new.txt'), 'new\n');
    const { tree } = await applyPatch(id, base, 'target');
    c.git(['add', '--all'], path);
    expect(tree).toBe(c.git(['write-tree'], path));
  });

  it('keeps modes, links, control characters and unusual names, and notes what is not UTF-8', async () => {
    const { id, path } = await make('faithful');
    const inTree = (name: string) => join(path, name);
    for (const name of ['tool.sh', 'plain.sh', 'text-to-link', 'moved.sh']) {
      writeFileSync(inTree(name), `${name}\n`.repeat(9));
    }
    writeFileSync(inTree('gone.sh'), 'gone\n', { mode: 0o755 });
    writeFileSync(inTree('windows.txt'), 'one\r\ntwo\r\n');
    writeFileSync(inTree('latin.txt'), Buffer.from('caf\xe9\n', 'latin1'));
    writeFileSync(inTree('empty-to-link'), '');
    symlinkSync('tool.sh', inTree('link'));
    symlinkSync('tool.sh', inTree('link-to-text'));
    commit(path, 'zz-last.txt', 'last\n');
    const base = c.git(['rev-parse', 'HEAD'], path);

    chmodSync(inTree('plain.sh'), 0o755);
    writeFileSync(inTree('tool.sh'), 'changed\n', { mode: 0o755 });
    chmodSync(inTree('tool.sh'), 0o755);
    c.git(['mv', 'moved.sh', 'there.sh'], path);
    chmodSync(inTree('there.sh'), 0o755);
    for (const name of ['gone.sh', 'text-to-link', 'empty-to-link', 'link', 'link-to-text']) rmSync(inTree(name));
    for (const name of ['text-to-link', 'empty-to-link', 'link']) symlinkSync('plain.sh', inTree(name));
    writeFileSync(inTree('link-to-text'), 'text\n');
    writeFileSync(inTree('windows.txt'), 'one\r\nTWO\r\nthree\r\n');
    writeFileSync(inTree('controls.txt'), '\ufeff\u001b[31mred\u001b[m\b\f\u009b\n\rover\n');
    writeFileSync(inTree('new.sh'), 'new\n', { mode: 0o755 });
    writeFileSync(inTree('empty.sh'), '', { mode: 0o755 });
    symlinkSync('tab\there', inTree('new-link'));
    for (const name of ['tab\there', 'line\n+x', 'quo"te\\', 'ü 分', ' spaces ', 'bell\u0007\u007f\u0001']) {
      writeFileSync(inTree(name), `${name}\n`);
    }
    writeFileSync(inTree('zz-last.txt'), 'LAST\n');
    c.git(['add', '--all'], path);
    const expected = c.git(['write-tree'], path);
    writeFileSync(inTree('latin.txt'), Buffer.from('th\xe9\n', 'latin1'));
    writeFileSync(inTree('new-latin.txt'), Buffer.from('\xe9\n', 'latin1'));
    writeFileSync(Buffer.concat([Buffer.from(`${path}/name-`), Buffer.from([0xe9])]), 'text\n');
    writeFileSync(inTree('new\nbinary'), Buffer.from([0, 1]));

    const { patch, tree } = await applyPatch(id, base, 'faithful-target');
    expect(c.git(['diff', expected, tree], path)).toBe('');
    expect(patch.split('\n').filter((line) => line.startsWith('#'))).toEqual([
      '# modified latin.txt: not UTF-8, content not shown',
      '# untracked name-\ufffd: not UTF-8, content not shown',
      '# untracked "new\\nbinary": binary file, content not shown',
      '# untracked new-latin.txt: not UTF-8, content not shown',
    ]);
  });
});

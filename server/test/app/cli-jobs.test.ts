import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
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
    const { out: stdout } = await run('worktrees', 'diff', id, '--base', base);
    const target = await make('target');
    c.git(['reset', '--quiet', '--hard', base], target.path);
    execFileSync('git', ['apply', '--index'], { cwd: target.path, input: stdout });
    c.git(['add', '--all'], path);
    expect(c.git(['write-tree'], target.path)).toBe(c.git(['write-tree'], path));
  });
});

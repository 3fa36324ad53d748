import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

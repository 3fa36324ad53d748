import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { code, createFixture, type Fixture, failure, gitThatFirst } from './fixture.ts';

let fixture: Fixture;
beforeEach(() => {
  fixture = createFixture();
});
afterEach(() => fixture.remove());

const resolve = (base: string, useRemote = false) => fixture.git.resolveBase(fixture.row, base, useRemote);
const sha = (words: string, cwd = fixture.repository) => fixture.sh(['rev-parse', `${words}^{commit}`], cwd);

describe('branches', () => {
  it('lists local and remote branches, and where they are checked out', async () => {
    const head = sha('HEAD');
    fixture.sh(['worktree', 'add', '--quiet', '-b', 'ünï/x', fixture.path('odd\nplace')]);
    fixture.sh(['update-ref', 'refs/remotes/origin/topic', 'HEAD']);
    fixture.sh(['symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/topic']);
    expect(await fixture.git.branches(fixture.row)).toEqual([
      { name: 'main', sha: head, remote: false, worktreePath: fixture.repository },
      { name: 'ünï/x', sha: head, remote: false, worktreePath: fixture.path('odd\nplace') },
      { name: 'origin/topic', sha: head, remote: true, worktreePath: null },
    ]);
  });

  it('is empty before the first commit', async () => {
    fixture.sh(['init', '--quiet', fixture.path('empty')], fixture.root);
    expect(await fixture.git.branches({ path: fixture.path('empty'), commonDir: fixture.path('empty/.git') })).toEqual(
      [],
    );
  });

  it('matches exact names only', async () => {
    fixture.sh(['branch', 'topic/one']);
    fixture.sh(['tag', 'v1']);
    const exists = (name: string) => fixture.git.branchExists(fixture.row, name);
    expect(await Promise.all(['topic/one', 'main'].map(exists))).toEqual([true, true]);
    expect(await Promise.all(['topic', 'v1', 'HEAD', '--all', '', 'ma*'].map(exists))).toEqual(Array(6).fill(false));
  });
});

describe('stored branches', () => {
  it('are found whether loose, packed or both, moved or deleted after packing, and as symbolic refs', async () => {
    const exists = (name: string) => fixture.git.branchExists(fixture.row, name);
    const first = sha('HEAD');
    for (const name of ['packed', 'moved', 'gone', 'main-2']) fixture.sh(['branch', name]);
    fixture.sh(['pack-refs', '--all']);
    const second = fixture.commit('Second commit');
    fixture.sh(['update-ref', 'refs/heads/moved', second]);
    fixture.sh(['branch', '-D', 'gone']);
    fixture.sh(['branch', 'loose', second]);
    fixture.sh(['symbolic-ref', 'refs/heads/alias', 'refs/heads/packed']);
    expect(await Promise.all(['packed', 'moved', 'loose', 'alias'].map(exists))).toEqual([true, true, true, true]);
    expect(await Promise.all(['gone', 'main-', 'pack', 'packed/x'].map(exists))).toEqual(Array(4).fill(false));
    expect((await resolve('packed')).sha).toBe(first);
    expect((await resolve('moved')).sha).toBe(second);
    expect((await resolve('alias')).sha).toBe(first);
    expect(await code(resolve('gone'))).toBe('NOT_FOUND');
  });
});

describe('resolveBase without a fetch', () => {
  it('accepts branches, tags, ids, relative names and remote branches, and returns the ref', async () => {
    const first = sha('HEAD');
    fixture.sh(['tag', '-a', '-m', 'A tag', 'v1']);
    const second = fixture.commit('Second commit');
    fixture.sh(['update-ref', 'refs/remotes/origin/far', first]);
    expect(await resolve('main')).toEqual({ sha: second, ref: 'refs/heads/main' });
    expect(await resolve('v1')).toEqual({ sha: first, ref: 'refs/tags/v1' });
    expect(await resolve('main~1')).toEqual({ sha: first, ref: 'main~1' });
    expect(await resolve(first.slice(0, 10))).toEqual({ sha: first, ref: first.slice(0, 10) });
    expect(await resolve('origin/far')).toEqual({ sha: first, ref: 'refs/remotes/origin/far' });
    expect(await resolve('far')).toEqual({ sha: first, ref: 'refs/remotes/origin/far' });
    expect(await resolve('refs/heads/main')).toEqual({ sha: second, ref: 'refs/heads/main' });
    expect((await resolve('HEAD')).sha).toBe(second);
  });

  it('prefers a branch over a tag of the same name', async () => {
    const first = sha('HEAD');
    fixture.sh(['tag', 'both', first]);
    const second = fixture.commit('Second commit');
    fixture.sh(['branch', 'both', second]);
    expect(await resolve('both')).toEqual({ sha: second, ref: 'refs/heads/both' });
  });

  it.each([
    ['nowhere', 'NOT_FOUND'],
    ['main:readme.md', 'NOT_FOUND'],
    ['--all', 'VALIDATION'],
    ['', 'VALIDATION'],
    ['main\nmain', 'VALIDATION'],
  ])('rejects %j with %s', async (base, expected) => {
    expect(await code(resolve(base))).toBe(expected);
  });

  it('asks for a first commit in a repository without one', async () => {
    fixture.sh(['init', '--quiet', fixture.path('empty')], fixture.root);
    const error = await failure(
      fixture.git.resolveBase({ path: fixture.path('empty'), commonDir: fixture.path('empty/.git') }, 'main', false),
    );
    expect(error.code).toBe('CONFLICT');
    expect(error.message).toContain('Make a first commit');
  });
});

describe('resolveBase from origin', () => {
  let remote: string;
  beforeEach(() => {
    remote = fixture.path('remote');
    fixture.sh(['clone', '--quiet', fixture.repository, remote]);
    fixture.sh(['remote', 'add', 'origin', remote]);
  });

  it('fetches exactly that branch', async () => {
    const newer = fixture.commit('Only there', remote);
    fixture.sh(['branch', 'other'], remote);
    const expected = { sha: newer, ref: 'refs/remotes/origin/main' };
    expect(await resolve('main', true)).toEqual(expected);
    expect(await resolve('origin/main', true)).toEqual(expected);
    expect(fixture.sh(['for-each-ref', '--format=%(refname)', 'refs/remotes'])).toBe('refs/remotes/origin/main');
    expect(sha('main')).not.toBe(newer);
    expect(existsSync(fixture.path('repository/.git/FETCH_HEAD'))).toBe(false);
  });

  it('follows a rewritten branch', async () => {
    await resolve('main', true);
    fixture.sh(['commit', '--quiet', '--amend', '-m', 'Rewritten'], remote);
    expect((await resolve('main', true)).sha).toBe(sha('main', remote));
  });

  it('fetches other refs to a namespace of their own', async () => {
    const head = fixture.commit('A pull request', remote);
    fixture.sh(['update-ref', 'refs/pull/123/head', head], remote);
    fixture.sh(['reset', '--quiet', '--hard', 'HEAD~1'], remote);
    fixture.sh(['tag', 'v2'], remote);
    const ref = 'refs/agent-console/fetched/pull/123/head';
    expect(await resolve('pull/123/head', true)).toEqual({ sha: head, ref });
    expect(await resolve('refs/pull/123/head', true)).toEqual({ sha: head, ref });
    expect((await resolve('v2', true)).ref).toBe('refs/agent-console/fetched/v2');
  });

  it('fetches once for concurrent callers, and again for later ones', async () => {
    const count = fixture.path('fetches');
    const script = `case "$*" in *fetch*) echo x >> '${count}';; esac`;
    const git = fixture.adapter({ env: gitThatFirst(fixture, script) });
    const call = () => git.resolveBase(fixture.row, 'main', true);
    const fetches = () => readFileSync(count, 'utf8').length / 2;
    const answers = await Promise.all(Array.from({ length: 10 }, call));
    expect(new Set(answers.map((answer) => answer.sha)).size).toBe(1);
    const shared = fetches();
    // At most two fetches have run: one for the first calls, and one for all calls made after that fetch had begun.
    expect(shared).toBeLessThanOrEqual(2);
    const newer = fixture.commit('Later', remote);
    expect((await call()).sha).toBe(newer);
    expect(fetches()).toBe(shared + 1);
  });

  it('falls back to a local ref, with a warning', async () => {
    const known = (await resolve('main', true)).sha;
    fixture.sh(['remote', 'set-url', 'origin', 'https://user:s3cret@127.0.0.1:1/x.git']);
    const answer = await resolve('main', true);
    expect(answer).toEqual({ sha: known, ref: 'refs/remotes/origin/main', warning: expect.stringContaining('origin') });
    expect(answer.warning).not.toContain('s3cret');
    fixture.sh(['remote', 'remove', 'origin']);
    expect(await resolve('main', true)).toMatchObject({ ref: 'refs/heads/main', warning: expect.any(String) });
  });

  it.each([
    ['nowhere', 'NOT_FOUND'],
    ['main~2', 'VALIDATION'],
    ['--upload-pack=touch owned', 'VALIDATION'],
    ['a:refs/heads/main', 'VALIDATION'],
    ['+main', 'NOT_FOUND'],
  ])('rejects %j with %s', async (base, expected) => {
    const before = sha('main');
    expect(await code(resolve(base, true))).toBe(expected);
    expect(sha('main')).toBe(before);
  });
});

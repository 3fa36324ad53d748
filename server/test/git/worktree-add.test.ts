import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { ConsoleError } from '@agent-console/shared/errors';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  code,
  commitMany,
  createFixture,
  type Fixture,
  failure,
  gitThatFirst,
  snapshot,
  treesOf,
  until,
} from './fixture.ts';

let fixture: Fixture;
beforeEach(() => {
  fixture = createFixture();
});
afterEach(() => fixture.remove());

const { add, discard, left } = treesOf(() => fixture);

describe('addWorktree', () => {
  it('checks out a new branch with the same files as the main checkout, and returns its commit', async () => {
    const head = fixture.sh(['rev-parse', 'HEAD']);
    expect(await add('one')).toEqual({ sha: head });
    expect(snapshot(fixture.path('trees/one'))).toEqual(snapshot(fixture.repository));
    expect(fixture.sh(['status', '--porcelain', '--branch'], fixture.path('trees/one'))).toBe('## one');
    expect(fixture.sh(['config', '--local', '--list'])).not.toContain('branch.');
  });

  it('returns the full commit for an id, a relative name and an existing branch', async () => {
    const first = fixture.sh(['rev-parse', 'HEAD']);
    const second = fixture.commit('Second commit');
    fixture.sh(['branch', 'existing', first]);
    expect(await add('by-id', { startPoint: first })).toEqual({ sha: first });
    expect(await add('by-name', { startPoint: 'main~1' })).toEqual({ sha: first });
    expect(await add('existing', { startPoint: null })).toEqual({ sha: first });
    expect(await add('newest', { startPoint: second })).toEqual({ sha: second });
  });

  it('refuses an existing branch and does not change it', async () => {
    fixture.sh(['branch', 'taken']);
    const before = fixture.sh(['rev-parse', 'taken']);
    const error = await failure(add('taken'));
    expect(error.code).toBe('CONFLICT');
    expect(error.message).toContain('The branch taken already exists');
    expect(fixture.sh(['rev-parse', 'taken'])).toBe(before);
    expect(existsSync(fixture.path('trees/taken'))).toBe(false);
  });

  it('refuses a branch below the name of another', async () => {
    fixture.sh(['branch', 'topic']);
    const error = await failure(add('x', { branch: 'topic/part' }));
    expect([error.code, error.details.blockedBy]).toEqual(['CONFLICT', 'topic']);
  });

  it('refuses an occupied path and does not change it', async () => {
    mkdirSync(fixture.path('trees/mine'), { recursive: true });
    writeFileSync(fixture.path('trees/mine/notes.txt'), 'keep me');
    expect(await code(add('mine'))).toBe('CONFLICT');
    expect(snapshot(fixture.path('trees/mine'))).toEqual({ 'notes.txt': 'file keep me' });
    expect(fixture.sh(['branch', '--list', 'mine'])).toBe('');
  });

  it('refuses a branch that another worktree has checked out, and names that worktree', async () => {
    const error = await failure(add('second', { branch: 'main', startPoint: null }));
    expect(error.code).toBe('CONFLICT');
    expect(error.details.path).toBe(fixture.repository);
    expect(left('second')).toEqual([]);
  });

  it.each([
    ['a branch that is not there', { branch: 'nowhere', startPoint: null }, 'NOT_FOUND'],
    ['a base that is not there', { startPoint: 'nowhere' }, 'NOT_FOUND'],
    ['a base that is an option', { startPoint: '--help' }, 'VALIDATION'],
    ['a branch that is an option', { branch: '--help' }, 'VALIDATION'],
  ])('refuses %s and leaves nothing', async (_, extra, expected) => {
    expect(await code(add('odd', extra))).toBe(expected);
    expect(left('odd')).toEqual([]);
  });

  it('refuses a branch whose worktree was deleted, and says how to free it', async () => {
    await add('deleted');
    rmSync(fixture.path('trees/deleted'), { recursive: true });
    const error = await failure(add('again', { branch: 'deleted', startPoint: null }));
    expect(error.message).toBe(
      `The branch deleted is already checked out at ${fixture.path('trees/deleted')}, but git can no longer use that folder. Run git worktree prune in ${fixture.repository}, or use another branch.`,
    );
  });

  it('works at a path with spaces, quotes and Unicode', async () => {
    await add('it\'s a "tree" ünï $(x)', { branch: 'plain' });
    expect(snapshot(fixture.path('trees', 'it\'s a "tree" ünï $(x)'))).toEqual(snapshot(fixture.repository));
  });

  it('recreates a worktree whose folder was deleted', async () => {
    await add('gone');
    rmSync(fixture.path('trees/gone'), { recursive: true });
    await add('gone', { startPoint: null });
    expect(snapshot(fixture.path('trees/gone'))).toEqual(snapshot(fixture.repository));
  });

  it('runs no hook of the repository', async () => {
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) {
      const file = fixture.path('repository/.git/hooks', hook);
      writeFileSync(file, `#!/bin/sh\ntouch '${fixture.path('hook-ran')}'\n`);
      chmodSync(file, 0o755);
    }
    fixture.sh(['config', 'core.fsmonitor', `touch '${fixture.path('hook-ran')}'; false`]);
    await add('quiet');
    await fixture.git.state(fixture.checkout(fixture.path('trees/quiet')));
    await discard('quiet');
    expect(existsSync(fixture.path('hook-ran'))).toBe(false);
  });

  it('applies smudge filters like an ordinary checkout', async () => {
    fixture.write('.gitattributes', '*.up filter=upper\n');
    fixture.write('word.up', 'hello\n');
    fixture.commit('A filtered file');
    fixture.sh(['config', '--global', 'filter.upper.smudge', 'tr a-z A-Z']);
    await add('filtered');
    expect(snapshot(fixture.path('trees/filtered'))['word.up']).toBe('file HELLO\n');
  });

  it('is not redirected by git variables in the environment of the server', async () => {
    const git = fixture.adapter({
      env: {
        ...fixture.env,
        GIT_DIR: fixture.path('elsewhere'),
        GIT_WORK_TREE: '/',
        GIT_INDEX_FILE: fixture.path('index'),
      },
    });
    const tree = fixture.path('trees/one');
    await git.addWorktree(fixture.checkout(tree, 'one'), { startPoint: 'main' });
    expect(snapshot(tree)).toEqual(snapshot(fixture.repository));
    expect(existsSync(fixture.path('index'))).toBe(false);
  });

  it('retries when another git process briefly holds a lock', async () => {
    const lock = fixture.path('repository/.git/refs/heads/late.lock');
    const tried = fixture.path('tried');
    writeFileSync(lock, '');
    const script = `case "$*" in *update-ref*) if [ -e '${tried}' ]; then rm -f '${lock}'; fi; touch '${tried}';; esac`;
    const git = fixture.adapter({ env: gitThatFirst(fixture, script) });
    const late = fixture.checkout(fixture.path('trees/late'), 'late');
    expect(await git.addWorktree(late, { startPoint: 'main' })).toEqual({ sha: fixture.sh(['rev-parse', 'main']) });
  });

  it('names a lock file that is not released', async () => {
    const lock = fixture.path('repository/.git/refs/heads/stuck.lock');
    writeFileSync(lock, '');
    const error = await failure(add('stuck'));
    expect(error.code).toBe('GIT_FAILED');
    expect(error.message).toContain(lock);
    rmSync(lock);
    expect(left('stuck')).toEqual([]);
  });

  it('leaves nothing when aborted while writing files', async () => {
    fixture.write('.gitattributes', '*.slow filter=slow\n');
    fixture.write('file.slow', 'content\n');
    fixture.commit('A file that takes for ever');
    const begun = fixture.path('begun');
    fixture.sh(['config', '--global', 'filter.slow.smudge', `touch '${begun}'; sleep 600; cat`]);
    const abort = new AbortController();
    const added = add('aborted', { signal: abort.signal });
    await until(() => existsSync(begun));
    abort.abort(new ConsoleError('TIMEOUT', 'enough'));
    const error = await failure(added);
    expect([error.code, error.message]).toEqual(['TIMEOUT', 'enough']);
    expect(left('aborted')).toEqual([]);
  });

  it('leaves nothing when a required filter fails', async () => {
    fixture.write('.gitattributes', '*.bad filter=bad\n');
    fixture.write('file.bad', 'content\n');
    fixture.commit('A file that cannot be written');
    fixture.sh(['config', '--global', 'filter.bad.smudge', 'false']);
    fixture.sh(['config', '--global', 'filter.bad.required', 'true']);
    const error = await failure(add('failing'));
    expect(error.code).toBe('GIT_FAILED');
    expect(error.details.stderr).toContain('file.bad');
    expect(left('failing')).toEqual([]);
  });

  it('does nothing when aborted before the start', async () => {
    expect(await code(add('never', { signal: AbortSignal.abort() }))).toBe('TIMEOUT');
    expect(left('never')).toEqual([]);
  });
});

describe('ten worktrees at once', () => {
  it('are all complete in every round, with concurrent readers of the list', async () => {
    commitMany(fixture, 60);
    const expected = Object.keys(snapshot(fixture.repository)).length;
    const rounds = process.env.LONG ? 100 : 1;
    for (let round = 0; round < rounds; round += 1) {
      const names = Array.from({ length: 10 }, (_, number) => `r${round}-${number}`);
      const readers = names.map(async () => {
        await fixture.git.listWorktrees(fixture.row);
        await fixture.git.branches(fixture.row);
      });
      await Promise.all(names.map((name) => add(name)));
      await Promise.all(readers);
      const files = names.map((name) => Object.keys(snapshot(fixture.path('trees', name))).length);
      expect(files).toEqual(names.map(() => expected));
      expect(await fixture.git.listWorktrees(fixture.row)).toHaveLength(11);
      await Promise.all(names.map((name) => discard(name)));
    }
    expect(readdirSync(fixture.path('trees'))).toEqual([]);
  }, 600_000);

  it('on the same branch: one is created and nine are refused', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, number) =>
        add(`same-${number}`, { branch: 'same' }).then(
          () => 'made',
          (error: unknown) => (error instanceof ConsoleError ? error.code : String(error)),
        ),
      ),
    );
    expect(outcomes.sort()).toEqual([...Array.from({ length: 9 }, () => 'CONFLICT'), 'made']);
    expect(readdirSync(fixture.path('trees'))).toHaveLength(1);
    expect(await fixture.git.listWorktrees(fixture.row)).toHaveLength(2);
  });
});

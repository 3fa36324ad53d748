import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { code, createFixture, type Fixture, snapshot, treesOf } from './fixture.ts';

let fixture: Fixture;
beforeEach(() => {
  fixture = createFixture();
});
afterEach(() => fixture.remove());

const { add, discard, left } = treesOf(() => fixture);

describe('discardWorktree', () => {
  it('removes a worktree, its branch and its registration, and succeeds when repeated', async () => {
    await add('one');
    writeFileSync(fixture.path('trees/one/new.txt'), 'untracked');
    await discard('one');
    expect(left('one')).toEqual([]);
    await discard('one');
    expect(left('one')).toEqual([]);
  });

  it('keeps the branch without deleteBranch', async () => {
    await add('one');
    await discard('one', false);
    expect(left('one')).toEqual(['refs/heads/one']);
  });

  it('never deletes a branch that was not created for that worktree', async () => {
    fixture.sh(['branch', 'theirs']);
    await discard('theirs');
    expect(left('theirs')).toEqual(['refs/heads/theirs']);
  });

  it('never deletes a branch that has been checked out since', async () => {
    await add('one');
    fixture.sh(['checkout', '--quiet', '--ignore-other-worktrees', 'one']);
    await discard('one');
    expect(left('one')).toEqual(['refs/heads/one']);
  });

  it('never deletes a folder that is no worktree of the repository', async () => {
    fixture.write('trees/mine/notes.txt', 'keep me', fixture.root);
    await discard('mine');
    expect(snapshot(fixture.path('trees/mine'))).toEqual({ 'notes.txt': 'file keep me' });
  });

  it.each<[string, (at: string, admin: string) => void]>([
    [
      'the branch was created',
      (at, admin) => {
        rmSync(at, { recursive: true });
        rmSync(admin, { recursive: true });
      },
    ],
    [
      'git wrote its record without the path',
      (at, admin) => {
        rmSync(at, { recursive: true });
        for (const name of readdirSync(admin)) rmSync(`${admin}/${name}`, { recursive: true });
        writeFileSync(`${admin}/locked`, 'initializing');
      },
    ],
    [
      'the folder was registered without a HEAD',
      (at, admin) => {
        rmSync(at, { recursive: true });
        mkdirSync(at);
        for (const name of ['HEAD', 'commondir', 'index', 'ORIG_HEAD', 'logs']) {
          rmSync(`${admin}/${name}`, { recursive: true, force: true });
        }
        writeFileSync(`${admin}/locked`, 'initializing');
      },
    ],
    [
      'half of the files were written',
      (at, admin) => {
        rmSync(`${at}/readme.md`);
        writeFileSync(`${admin}/index.lock`, '');
      },
    ],
    [
      'the folder was being deleted',
      (at) => {
        rmSync(at, { recursive: true });
        mkdirSync(`${path.dirname(at)}/.crashed.agent-console-trash`);
        writeFileSync(`${path.dirname(at)}/.crashed.agent-console-trash/file`, '');
      },
    ],
  ])('cleans up after a kill when %s', async (_, crash) => {
    await add('crashed');
    crash(fixture.path('trees/crashed'), fixture.path('repository/.git/worktrees/crashed'));
    await discard('crashed');
    expect(left('crashed')).toEqual([]);
    expect(fixture.sh(['worktree', 'prune', '--verbose'])).toBe('');
  });
});

describe('removeWorktree', () => {
  const remove = (name: string) => fixture.git.removeWorktree(fixture.checkout(fixture.path('trees', name)));

  it('removes locked worktrees, ignored files and read-only folders, and keeps the branch', async () => {
    await add('full');
    const tree = fixture.path('trees/full');
    fixture.write('node_modules/pkg/index.js', '', tree);
    fixture.write('closed/deep/file', '', tree);
    symlinkSync(fixture.repository, `${tree}/link-out`);
    chmodSync(`${tree}/closed/deep`, 0o500);
    chmodSync(`${tree}/closed`, 0o500);
    fixture.sh(['worktree', 'lock', '--reason', 'on a stick', tree]);
    await remove('full');
    expect(left('full')).toEqual(['refs/heads/full']);
    expect(Object.keys(snapshot(fixture.repository)).sort()).toEqual(['readme.md', 'src/app.ts']);
  });

  it('succeeds when the folder, or everything, is already gone', async () => {
    await add('gone');
    rmSync(fixture.path('trees/gone'), { recursive: true });
    await remove('gone');
    expect(left('gone')).toEqual(['refs/heads/gone']);
    await remove('gone');
    expect(left('gone')).toEqual(['refs/heads/gone']);
  });

  it('does not remove other registrations whose folders are missing', async () => {
    await add('away');
    await add('here');
    rmSync(fixture.path('trees/away'), { recursive: true });
    await remove('here');
    expect((await fixture.git.listWorktrees(fixture.row)).map((entry) => entry.branch)).toEqual(['main', 'away']);
  });

  it('refuses the main checkout, other folders and a worktree that contains another', async () => {
    fixture.write('trees/mine/notes.txt', 'keep me', fixture.root);
    await add('outer');
    await add('outer/inner', { branch: 'inner' });
    expect(await code(fixture.git.removeWorktree(fixture.checkout(fixture.repository)))).toBe('CONFLICT');
    expect(await code(remove('mine'))).toBe('CONFLICT');
    expect(await code(remove('outer'))).toBe('CONFLICT');
    expect(existsSync(fixture.path('trees/mine/notes.txt'))).toBe(true);
    expect(existsSync(fixture.path('trees/outer/inner/readme.md'))).toBe(true);
  });
});

describe('listWorktrees and state', () => {
  it('distinguishes main, branch, detached, locked and missing worktrees', async () => {
    await add('branch');
    await add('locked');
    await add('missing');
    fixture.sh(['worktree', 'add', '--quiet', '--detach', fixture.path('trees/detached')]);
    fixture.sh(['worktree', 'lock', fixture.path('trees/locked')]);
    rmSync(fixture.path('trees/missing'), { recursive: true });
    const head = fixture.sh(['rev-parse', 'HEAD']);
    const entry = { branch: null, head, main: false, prunable: false, locked: false };
    const trees = realpathSync(fixture.path('trees'));
    const listed = await fixture.git.listWorktrees(fixture.row);
    expect(listed).toHaveLength(5);
    expect(listed).toEqual(
      expect.arrayContaining([
        { ...entry, path: fixture.repository, branch: 'main', main: true },
        { ...entry, path: `${trees}/branch`, branch: 'branch' },
        { ...entry, path: `${trees}/locked`, branch: 'locked', locked: true },
        { ...entry, path: `${trees}/missing`, branch: 'missing', prunable: true },
        { ...entry, path: `${trees}/detached` },
      ]),
    );
    expect(listed[0]?.main).toBe(true);
  });

  it('reports changes and untracked files, and names a worktree that is gone', async () => {
    await add('one');
    const tree = fixture.path('trees/one');
    const currentSha = fixture.sh(['rev-parse', 'HEAD']);
    expect(await fixture.git.state(fixture.checkout(tree))).toEqual({ currentSha, branch: 'one', hasChanges: false });
    writeFileSync(`${tree}/untracked`, '');
    expect(await fixture.git.state(fixture.checkout(tree))).toEqual({ currentSha, branch: 'one', hasChanges: true });
    rmSync(`${tree}/untracked`);
    fixture.sh(['checkout', '--quiet', '--detach'], tree);
    expect(await fixture.git.state(fixture.checkout(tree))).toEqual({ currentSha, branch: null, hasChanges: false });
    rmSync(tree, { recursive: true });
    expect(await code(fixture.git.state(fixture.checkout(tree)))).toBe('NOT_FOUND');
    expect(await code(fixture.git.head(fixture.checkout(tree)))).toBe('NOT_FOUND');
  });

  it('reads the commit of HEAD wherever git stores it', async () => {
    await add('one');
    const tree = fixture.path('trees/one');
    const head = () => fixture.git.head(fixture.checkout(tree));
    const commit = () => fixture.sh(['commit', '--quiet', '--allow-empty', '-m', 'Another'], tree);
    const stored = () => fixture.sh(['rev-parse', 'HEAD'], tree);
    commit();
    expect(await head()).toBe(stored());
    fixture.sh(['pack-refs', '--all'], tree);
    expect(await head()).toBe(stored());
    commit();
    expect(await head()).toBe(stored());
    fixture.sh(['checkout', '--quiet', '--detach', 'HEAD~1'], tree);
    expect(await head()).toBe(stored());
    fixture.sh(['checkout', '--quiet', '--orphan', 'unborn'], tree);
    expect(await head()).toBe('');
  });

  it('does not read a file outside the refs, even if HEAD names one', async () => {
    await add('one');
    const tree = fixture.path('trees/one');
    writeFileSync(fixture.path('outside'), `${'1'.repeat(40)}\n`);
    const file = path.join(fixture.sh(['rev-parse', '--absolute-git-dir'], tree), 'HEAD');
    const way = path.relative(path.join(fixture.repository, '.git/refs/heads'), fixture.path('outside'));
    writeFileSync(file, `ref: refs/heads/${way}\n`);
    expect(await fixture.git.head(fixture.checkout(tree))).toBe('');
  });
});

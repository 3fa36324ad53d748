import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moveBranch } from '../../src/git/move-branch.ts';
import { createFixture, type Fixture, failure, gitThatFirst, snapshot, until } from './fixture.ts';
import { killedAt } from './killed.ts';

let fixture: Fixture;
beforeEach(() => {
  fixture = createFixture();
});
afterEach(() => fixture.remove());

const main = (relative: string) => path.join(fixture.repository, relative);
const tip = () => fixture.sh(['rev-parse', 'main']);
const status = () => fixture.sh(['status', '--porcelain', '--ignored']);
const move = (from: string, to: string) => ({ branch: 'main', from, to, reason: 'test' });

/** Creates two commits that differ by every kind of change to a file. HEAD is at the first commit. */
function commitBoth(): { from: string; to: string } {
  fixture.write('.gitignore', '*.log\n');
  fixture.write('changed.txt', 'before\n');
  fixture.write('deleted.txt', 'before\n');
  fixture.write('file-to-folder', 'before\n');
  fixture.write('folder-to-file/a/b.txt', 'before\n');
  fixture.write('folder-to-link/x.txt', 'before\n');
  fixture.write('tool.sh', '#!/bin/sh\n');
  fixture.write('windows.txt', 'before\r\n');
  fixture.write('.gitattributes', 'windows.txt text eol=crlf\n');
  fixture.write('outside/x.txt', 'outside\n', fixture.root);
  symlinkSync('changed.txt', main('link'));
  symlinkSync('../outside', main('link-to-folder'));
  const from = fixture.commit('Before');
  fixture.write('changed.txt', 'after\n');
  rmSync(main('deleted.txt'));
  rmSync(main('file-to-folder'));
  fixture.write('file-to-folder/a/b.txt', 'after\n');
  rmSync(main('folder-to-file'), { recursive: true });
  fixture.write('folder-to-file', 'after\n');
  rmSync(main('folder-to-link'), { recursive: true });
  symlinkSync('../outside', main('folder-to-link'));
  rmSync(main('link'));
  fixture.write('link', 'after\n');
  rmSync(main('link-to-folder'));
  fixture.write('link-to-folder/x.txt', 'after\n');
  chmodSync(main('tool.sh'), 0o755);
  fixture.write('windows.txt', 'after\r\n');
  fixture.write('new folder/née.txt', 'after\n');
  fixture.write('build.log', 'after\n');
  fixture.sh(['add', '--force', 'build.log']);
  const to = fixture.commit('After');
  fixture.sh(['reset', '--quiet', '--hard', from]);
  return { from, to };
}

const recoveries = () =>
  fixture.sh(['for-each-ref', '--format=%(refname)', 'refs/agent-console/recovery']).split('\n').filter(Boolean);

describe('a move that is killed', () => {
  it('leaves branch, index and files all as before or all as after the move, at whichever step', async () => {
    const { from, to } = commitBoth();
    const before = snapshot(fixture.repository);
    fixture.sh(['checkout', '--quiet', '--detach', to]);
    const after = snapshot(fixture.repository);
    fixture.sh(['checkout', '--quiet', 'main']);
    let ended = false;
    for (let step = 0; !ended; step += 1) {
      for (const when of ['before', 'after'] as const) {
        const { context, killed } = killedAt(fixture, step, when);
        const outcome = await Promise.race([moveBranch(context, fixture.row, move(from, to)), killed]);
        ended = outcome !== 'killed';
        const git = fixture.adapter();
        await git.sweep();
        const state = await git.settleMove(fixture.row, move(from, to));
        const about = `${when} step ${step}: ${state}`;
        expect(tip(), about).toBe(state === 'after' ? to : from);
        expect(snapshot(fixture.repository), about).toEqual(state === 'after' ? after : before);
        expect(status(), about).toBe('');
        expect(readFileSync(fixture.path('outside/x.txt'), 'utf8')).toBe('outside\n');
        if (state === 'after') await git.moveBranch(fixture.row, move(to, from));
        expect(snapshot(fixture.repository), about).toEqual(before);
        expect(existsSync(main('.git/index.lock')), about).toBe(false);
      }
      expect(step).toBeLessThan(20);
    }
  });

  it('is undone if the checkout was only partly written, even by a git that outlives its server', async () => {
    const { from, to } = commitBoth();
    const before = snapshot(fixture.repository);
    const started = fixture.path('started');
    // Makes git's checkout wait after it has written some of the files, until the file `started.go` exists.
    fixture.sh([
      'config',
      '--global',
      'filter.slow.smudge',
      `touch '${started}'; while [ ! -e '${started}.go' ]; do sleep 0.02; done; cat`,
    ]);
    fixture.write('.git/info/attributes', 'link-to-folder/x.txt filter=slow\n');
    const { context, killed } = killedAt(fixture, 'read-tree', 'after');
    const outlives = Promise.race([moveBranch(context, fixture.row, move(from, to)), killed]);
    await until(() => existsSync(started));
    expect(snapshot(fixture.repository)).not.toEqual(before);
    const git = fixture.adapter();
    await git.sweep();
    expect(await outlives).toBe('killed');
    rmSync(main('.git/info/attributes'));
    expect(await git.settleMove(fixture.row, move(from, to))).toBe('before');
    expect(snapshot(fixture.repository)).toEqual(before);
    expect(status()).toBe('');
  });

  it('keeps changes that a person made before the next start, in a recovery if they were in the way', async () => {
    const { from, to } = commitBoth();
    fixture.write('untouched.txt', 'committed\n');
    const first = fixture.commit('Untouched');
    fixture.sh(['branch', 'later', to]);
    const target = fixture.sh(['merge-tree', '--write-tree', first, to]);
    const merged = fixture.sh(['commit-tree', '-m', 'Merge', '-p', first, '-p', to, target]);
    const { context, killed } = killedAt(fixture, 'read-tree', 'after');
    await Promise.race([moveBranch(context, fixture.row, move(first, merged)), killed]);
    fixture.write('untouched.txt', 'of a person\n');
    fixture.write('changed.txt', 'of a person\n');
    fixture.write('file-to-folder/mine.txt', 'of a person\n');
    const git = fixture.adapter();
    await git.sweep();
    expect(await git.settleMove(fixture.row, move(first, merged))).toBe('before');
    expect(readFileSync(main('untouched.txt'), 'utf8')).toBe('of a person\n');
    expect(readFileSync(main('changed.txt'), 'utf8')).toBe('before\n');
    expect(readFileSync(main('file-to-folder'), 'utf8')).toBe('before\n');
    expect(readFileSync(main('file-to-folder.saved-1/mine.txt'), 'utf8')).toBe('of a person\n');
    const [ref = ''] = recoveries();
    expect(fixture.sh(['show', `${ref}:changed.txt`])).toBe('of a person');
    expect(from).not.toBe(first);
  });

  it.each([
    ['worktree', 'before'],
    ['diff-tree', 'before'],
    ['status', 'after'],
  ] as const)('keeps uncommitted changes if it had changed no file (%s, %s)', async (step, when) => {
    const { from, to } = commitBoth();
    fixture.write('changed.txt', 'of a person\n');
    rmSync(main('tool.sh'));
    const before = snapshot(fixture.repository);
    const { context, killed } = killedAt(fixture, step, when);
    await Promise.race([moveBranch(context, fixture.row, move(from, to)), killed]);
    const git = fixture.adapter();
    await git.sweep();
    expect(await git.settleMove(fixture.row, move(from, to))).toBe('before');
    expect(snapshot(fixture.repository)).toEqual(before);
    expect(recoveries()).toEqual([]);
    expect(existsSync(main('.git/index.lock'))).toBe(false);
  });

  it('is undone by a later attempt if the first one fails, and no other move begins before', async () => {
    const { from, to } = commitBoth();
    const before = snapshot(fixture.repository);
    const { context, killed } = killedAt(fixture, 'read-tree', 'after');
    await Promise.race([moveBranch(context, fixture.row, move(from, to)), killed]);
    const git = fixture.adapter();
    await git.sweep();
    expect(await failure(git.moveBranch(fixture.row, move(from, to)))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/has not restored them.*delete .*index\.lock, and run git reset --hard/),
    });
    fixture.sh(['config', '--global', 'filter.broken.smudge', 'false']);
    fixture.sh(['config', '--global', 'filter.broken.required', 'true']);
    fixture.write('.git/info/attributes', 'changed.txt filter=broken\n');
    expect(await failure(git.settleMove(fixture.row, move(from, to)))).toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('could not be restored'),
    });
    rmSync(main('.git/info/attributes'));
    expect(await git.settleMove(fixture.row, move(from, to))).toBe('before');
    expect(snapshot(fixture.repository)).toEqual(before);
    expect(existsSync(main('.git/index.lock'))).toBe(false);
  });

  it('is undone if somebody moved the branch before the next start, unless the checkout has changed too', async () => {
    const { from, to } = commitBoth();
    const before = snapshot(fixture.repository);
    fixture.write('changed.txt', 'other\n');
    const other = fixture.commit('Other');
    const afterOther = snapshot(fixture.repository);
    for (const isReset of [false, true]) {
      fixture.sh(['reset', '--quiet', '--hard', from]);
      const { context, killed } = killedAt(fixture, 'read-tree', 'after');
      await Promise.race([moveBranch(context, fixture.row, move(from, to)), killed]);
      if (isReset) {
        rmSync(main('.git/index.lock'));
        fixture.sh(['reset', '--quiet', '--hard', other]);
        fixture.sh(['clean', '-fdxq']);
      } else fixture.sh(['update-ref', 'refs/heads/main', other]);
      const git = fixture.adapter();
      await git.sweep();
      expect(await git.settleMove(fixture.row, move(from, to))).toBe('elsewhere');
      expect(tip()).toBe(other);
      expect(snapshot(fixture.repository)).toEqual(isReset ? afterOther : before);
      expect(fixture.sh(['diff-index', '--cached', '--name-only', isReset ? other : from])).toBe('');
      expect(existsSync(main('.git/index.lock'))).toBe(false);
    }
  });

  it('is undone if somebody deleted the branch before the next start', async () => {
    const { from, to } = commitBoth();
    const before = snapshot(fixture.repository);
    const { context, killed } = killedAt(fixture, 'read-tree', 'after');
    await Promise.race([moveBranch(context, fixture.row, move(from, to)), killed]);
    fixture.sh(['update-ref', '-d', 'refs/heads/main']);
    const git = fixture.adapter();
    await git.sweep();
    expect(await git.settleMove(fixture.row, move(from, to))).toBe('elsewhere');
    expect(snapshot(fixture.repository)).toEqual(before);
    expect(existsSync(main('.git/index.lock'))).toBe(false);
    fixture.sh(['branch', 'main', from]);
    expect(status()).toBe('');
  });

  it.each([
    ['is kept if somebody built upon it before the next start', 'update-ref', false],
    ['is undone, being an undo, if somebody built upon the commit that it left', 'read-tree', true],
  ] as const)('%s', async (_, killedIn, isUndo) => {
    const { from, to } = commitBoth();
    if (isUndo) fixture.sh(['reset', '--quiet', '--hard', to]);
    const made = isUndo ? move(to, from) : move(from, to);
    const { context, killed } = killedAt(fixture, killedIn, 'after');
    await Promise.race([moveBranch(context, fixture.row, made), killed]);
    fixture.sh(['update-ref', 'refs/heads/main', fixture.sh(['commit-tree', '-m', 'Next', '-p', to, `${to}^{tree}`])]);
    const git = fixture.adapter();
    await git.sweep();
    expect(await git.settleMove(fixture.row, made)).toBe('elsewhere');
    expect(status()).toBe('');
    expect(recoveries()).toHaveLength(isUndo ? 1 : 0);
  });
});

describe('a move of a branch that is checked out', () => {
  it('overwrites no file that git does not track, ignored files included', async () => {
    const { from, to } = commitBoth();
    const git = fixture.adapter();
    const obstacles: [name: string, path: string][] = [
      ['an ignored file', 'build.log'],
      ['a file in place of a folder', 'new folder'],
      ['an ignored file in a folder that becomes a file', 'folder-to-file/a/debug.log'],
    ];
    for (const [name, file] of obstacles) {
      fixture.write(file, 'of a person\n');
      const refused = await failure(git.moveBranch(fixture.row, move(from, to)));
      expect(refused, name).toMatchObject({ code: 'CONFLICT', details: { files: [file] } });
      expect(readFileSync(main(file), 'utf8')).toBe('of a person\n');
      rmSync(main(file));
    }
    symlinkSync('../outside', main('new folder'));
    expect(await failure(git.moveBranch(fixture.row, move(from, to)))).toMatchObject({
      details: { files: ['new folder'] },
    });
    rmSync(main('new folder'));
    mkdirSync(main('new folder/empty'), { recursive: true });
    await git.moveBranch(fixture.row, move(from, to));
    expect(tip()).toBe(to);
    expect(status()).toBe('');
  });

  it('is undone when a file cannot be written, with the reason', async () => {
    const { from, to } = commitBoth();
    const before = snapshot(fixture.repository);
    fixture.sh(['config', 'filter.broken.smudge', 'cat']);
    fixture.write('.git/info/attributes', 'tool.sh filter=broken\n');
    const refused = await failure(fixture.git.moveBranch(fixture.row, move(from, to)));
    expect(refused.message).toContain('filter broken');
    expect(tip()).toBe(from);
    expect(snapshot(fixture.repository)).toEqual(before);
    expect(existsSync(main('.git/index.lock'))).toBe(false);
  });

  it('is undone when the branch moves at the last moment, and fails if a dead git left a lock', async () => {
    const { from, to } = commitBoth();
    const before = snapshot(fixture.repository);
    const other = fixture.sh(['commit-tree', '-m', 'Other', '-p', from, `${from}^{tree}`]);
    const env = gitThatFirst(
      fixture,
      `case "$*" in *' update-ref '*) "$real" update-ref refs/heads/main ${other};; esac`,
    );
    const refused = await failure(fixture.adapter({ env }).moveBranch(fixture.row, move(from, to)));
    expect(refused).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining(other.slice(0, 12)) });
    expect(tip()).toBe(other);
    expect(snapshot(fixture.repository)).toEqual(before);
    fixture.write('.git/index.lock', '');
    const locked = await failure(fixture.git.moveBranch(fixture.row, move(other, to)));
    expect(locked.message).toContain(`delete ${main('.git/index.lock')}`);
    expect(snapshot(fixture.repository)).toEqual(before);
  });

  it('is made if git moved the branch although its command failed', async () => {
    const { from, to } = commitBoth();
    fixture.sh(['branch', 'other', from]);
    const env = gitThatFirst(fixture, `case "$*" in *' update-ref '*) "$real" "$@"; exit 1;; esac`);
    const git = fixture.adapter({ env });
    await git.moveBranch(fixture.row, move(from, to));
    expect(tip()).toBe(to);
    expect(status()).toBe('');
    await git.moveBranch(fixture.row, { ...move(from, to), branch: 'other' });
    expect(fixture.sh(['rev-parse', 'other'])).toBe(to);
  });

  it('is undone when the branch cannot be written, and says what to do', async () => {
    const { from, to } = commitBoth();
    const before = snapshot(fixture.repository);
    const env = gitThatFirst(
      fixture,
      `case "$*" in *' update-ref '*'refs/heads/'*) echo 'fatal: cannot lock ref' >&2; exit 128;; esac`,
    );
    const failed = await failure(fixture.adapter({ env }).moveBranch(fixture.row, move(from, to)));
    expect(failed.code).toBe('GIT_FAILED');
    expect(failed.message).toMatch(/cannot lock ref\. Make sure that .* can write to the repository/);
    expect(snapshot(fixture.repository)).toEqual(before);
    expect(tip()).toBe(from);
  });

  it('keeps a change that is made to a file at the last moment', async () => {
    const { from, to } = commitBoth();
    const before = snapshot(fixture.repository);
    const edit = `echo 'of a person' > '${main('changed.txt')}'`;
    const early = gitThatFirst(fixture, `case "$*" in *' read-tree '*) ${edit};; esac`);
    const refused = await failure(fixture.adapter({ env: early }).moveBranch(fixture.row, move(from, to)));
    expect(refused).toMatchObject({ code: 'CONFLICT', details: { files: ['changed.txt'] } });
    expect(snapshot(fixture.repository)).toEqual({ ...before, 'changed.txt': 'file of a person\n' });
    expect(recoveries()).toEqual([]);
    fixture.sh(['checkout', '--quiet', '--', 'changed.txt']);

    const late = gitThatFirst(fixture, `case "$*" in *' read-tree -m '*) "$real" "$@"; ${edit}; exit 1;; esac`);
    const failed = await failure(fixture.adapter({ env: late }).moveBranch(fixture.row, move(from, to)));
    expect(snapshot(fixture.repository)).toEqual(before);
    const [ref = ''] = recoveries();
    expect(failed).toMatchObject({ code: 'GIT_FAILED', details: { recoveryRef: ref } });
    expect(failed.message).toContain(ref);
    expect(fixture.sh(['show', `${ref}:changed.txt`])).toBe('of a person');
  });

  it('leaves out what a sparse checkout leaves out', async () => {
    fixture.write('in/a.txt', 'before\n');
    fixture.write('out/a.txt', 'before\n');
    fixture.commit('Before');
    const at = fixture.path('trees/sparse');
    fixture.sh(['worktree', 'add', '--quiet', '-b', 'sparse', at]);
    fixture.sh(['sparse-checkout', 'set', 'in'], at);
    const from = fixture.sh(['rev-parse', 'HEAD'], at);
    for (const each of ['in/a.txt', 'in/b.txt', 'out/a.txt', 'out/b.txt']) fixture.write(each, 'after\n');
    const to = fixture.commit('After');
    const spec = { branch: 'sparse', from, to, reason: 'test' };
    for (const at of ['read-tree', 'update-ref']) {
      const { context, killed } = killedAt(fixture, at, 'before');
      await Promise.race([moveBranch(context, fixture.row, spec), killed]);
      expect(await fixture.adapter().settleMove(fixture.row, spec)).toBe('before');
    }
    expect(fixture.sh(['status', '--porcelain'], at)).toBe('');
    await fixture.git.moveBranch(fixture.row, spec);
    expect(Object.keys(snapshot(at)).sort()).toEqual(['in/a.txt', 'in/b.txt', 'readme.md']);
    expect(fixture.sh(['status', '--porcelain'], at)).toBe('');
    expect(fixture.sh(['rev-parse', 'HEAD'], at)).toBe(to);
  });

  it('changes the commit of a submodule but not its folder, and can be undone', async () => {
    const library = fixture.path('library');
    fixture.sh(['clone', '--quiet', fixture.repository, library]);
    fixture.sh(['submodule', '--quiet', 'add', library, 'library']);
    const from = fixture.commit('Before');
    fixture.sh(['commit', '--quiet', '--allow-empty', '-m', 'New'], main('library'));
    const to = fixture.commit('After');
    fixture.sh(['reset', '--quiet', '--hard', from]);
    await fixture.git.moveBranch(fixture.row, move(from, to));
    expect(tip()).toBe(to);
    expect(fixture.sh(['diff', '--cached', '--name-only'])).toBe('');
    await fixture.git.moveBranch(fixture.row, move(to, from));
    expect(status()).toContain('library');
    expect(fixture.sh(['diff', '--cached', '--name-only'])).toBe('');
  });

  it('is refused while a rebase of the branch is in progress in another worktree', async () => {
    const { from, to } = commitBoth();
    const at = fixture.path('trees/rebasing');
    fixture.sh(['worktree', 'add', '--quiet', '-b', 'rebased', at, from]);
    fixture.write('changed.txt', 'other\n', at);
    fixture.commit('Other', at);
    const rebased = fixture.sh(['rev-parse', 'rebased']);
    expect(() => fixture.sh(['rebase', '--quiet', to], at)).toThrow();
    const spec = { branch: 'rebased', from: rebased, to, reason: 'test' };
    expect(await failure(fixture.git.moveBranch(fixture.row, spec))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(at),
    });
    expect(fixture.sh(['rev-parse', 'rebased'])).toBe(rebased);
  });

  it('is refused if the file of the branch is a link', async () => {
    const { from, to } = commitBoth();
    fixture.sh(['branch', 'linked', from]);
    rmSync(main('.git/refs/heads/linked'));
    fixture.write('target', `${from}\n`, fixture.root);
    symlinkSync(fixture.path('target'), main('.git/refs/heads/linked'));
    expect((await failure(fixture.git.moveBranch(fixture.row, { ...move(from, to), branch: 'linked' }))).code).toBe(
      'CONFLICT',
    );
    expect(readFileSync(fixture.path('target'), 'utf8')).toBe(`${from}\n`);
  });

  it('detects a change that keeps the size and time of the file', async () => {
    const { from, to } = commitBoth();
    const { mtime } = statSync(main('changed.txt'));
    writeFileSync(main('changed.txt'), 'BEFORE\n');
    utimesSync(main('changed.txt'), mtime, mtime);
    expect(await failure(fixture.git.moveBranch(fixture.row, move(from, to)))).toMatchObject({
      details: { files: ['changed.txt'] },
    });
    expect(lstatSync(main('file-to-folder')).isFile()).toBe(true);
  });
});

import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { code, createFixture, type Fixture, remains, snapshot } from './fixture.ts';

let fixture: Fixture;
let tree: string;
const NOW = Date.UTC(2026, 10, 21, 22, 30, 5, 7);

beforeEach(async () => {
  fixture = createFixture();
  fixture.write('.gitignore', 'node_modules/\n*.log\n');
  fixture.write('run.sh', '#!/bin/sh\n');
  fixture.write('lines.txt', 'a\nb\n');
  fixture.write('folder/file.txt', 'in a folder\n');
  fixture.write('delete-me.txt', 'tracked\n');
  symlinkSync('readme.md', `${fixture.repository}/link`);
  fixture.commit('Things to change');
  tree = fixture.path('trees/work');
  await fixture.git.addWorktree(fixture.checkout(tree, 'work'), { startPoint: 'main' });
});
afterEach(() => fixture.remove());

const saver = () => fixture.adapter({ clock: () => NOW });
const save = () => saver().saveRecovery(fixture.checkout(tree), 'wt-001-abcd');
const remove = () => fixture.git.removeWorktree(fixture.checkout(tree));
const restore = (recoveryRef: string) => fixture.git.restoreWorktree(fixture.checkout(tree), recoveryRef);
const status = () => fixture.sh(['status', '--porcelain', '--untracked-files=all', '--no-renames'], tree).split('\n');

function changeEverything(): void {
  fixture.write('readme.md', 'one\nchanged\nthree\n', tree);
  fixture.write('src/app.ts', 'export const answer = 43;\n', tree);
  fixture.sh(['add', 'src/app.ts'], tree);
  fixture.write('src/app.ts', 'export const answer = 44;\n', tree);
  fixture.write('staged.txt', 'staged and new\n', tree);
  fixture.sh(['add', 'staged.txt'], tree);
  rmSync(`${tree}/delete-me.txt`);
  chmodSync(`${tree}/run.sh`, 0o755);
  fixture.write('lines.txt', 'a\r\nb\r\n', tree);
  rmSync(`${tree}/link`);
  symlinkSync('/nowhere/at all', `${tree}/link`);
  rmSync(`${tree}/folder`, { recursive: true });
  fixture.write('folder', 'a file where a folder was\n', tree);
  fixture.write('new/deep/ünï "quoted"\nname.bin', Buffer.from([0, 255, 13, 10, 26]), tree);
  fixture.write('new/tool', '#!/bin/sh\n', tree);
  chmodSync(`${tree}/new/tool`, 0o755);
  symlinkSync('tool', `${tree}/new/link`);
  fixture.write('new/empty', '', tree);
  fixture.write('new/crlf\r', 'x\r\n', tree);
}

describe('a removed worktree', () => {
  it('is restored with every change, and staged changes are staged again', async () => {
    changeEverything();
    const before = { files: snapshot(tree), status: status() };
    const index = readFileSync(fixture.path('repository/.git/worktrees/work/index'));
    const { ref, sha, leftOut } = await save();
    expect(ref).toBe('refs/agent-console/recovery/wt-001-abcd/20261121T223005007Z');
    expect(leftOut).toEqual([]);
    expect(fixture.sh(['rev-parse', ref])).toBe(sha);
    expect(snapshot(tree)).toEqual(before.files);
    expect(readFileSync(fixture.path('repository/.git/worktrees/work/index'))).toEqual(index);
    await remove();
    expect(existsSync(tree)).toBe(false);
    expect(await restore(ref)).toEqual({ sha: fixture.sh(['rev-parse', 'work']), warnings: [] });
    expect(snapshot(tree)).toEqual(before.files);
    expect(status()).toEqual(before.status);
  });

  it('is restored byte for byte where line endings are converted', async () => {
    fixture.write('.gitattributes', '* text=auto\n', tree);
    fixture.write('lines.txt', 'a\r\nb\nc\r\n', tree);
    fixture.write('new.txt', 'x\r\ny\n', tree);
    fixture.sh(['config', 'core.autocrlf', 'true']);
    fixture.sh(['config', 'core.safecrlf', 'true']);
    const before = snapshot(tree);
    const { ref } = await save();
    await remove();
    fixture.sh(['config', '--unset', 'core.autocrlf']);
    await restore(ref);
    expect(snapshot(tree)).toEqual(before);
  });

  it.each([
    ['merge', ['merge', '--no-ff', 'main'], ['commit', '--no-edit']],
    ['cherry-pick', ['cherry-pick', 'main'], ['cherry-pick', '--continue']],
  ])('is restored during a %s, with its conflicts and resolved files', async (operation, begin, end) => {
    fixture.write('readme.md', 'ours\n', tree);
    const ours = fixture.commit('Ours', tree);
    fixture.write('readme.md', 'theirs\n');
    fixture.write('lines.txt', 'theirs\n');
    const theirs = fixture.commit('Theirs');
    expect(() => fixture.sh(begin, tree)).toThrow();
    fixture.write('lines.txt', 'resolved\n', tree);
    fixture.sh(['add', 'lines.txt'], tree);
    const before = { files: snapshot(tree), status: fixture.sh(['status'], tree) };
    expect((await fixture.git.removalRisk(fixture.checkout(tree))).inProgress).toEqual({ operation, saved: true });
    const { ref } = await save();
    await remove();
    fixture.sh(['checkout', '--quiet', '--detach']);
    expect(await restore(ref)).toEqual({ sha: ours, warnings: [] });
    expect(snapshot(tree)).toEqual(before.files);
    expect(before.files['readme.md']).toContain('<<<<<<<');
    expect(fixture.sh(['status'], tree)).toBe(before.status);
    expect(before.status).toContain('Unmerged paths');
    fixture.write('readme.md', 'both\n', tree);
    fixture.sh(['add', 'readme.md'], tree);
    fixture.sh(['-c', 'core.editor=true', ...end], tree);
    expect(fixture.sh(['log', '-1', '--format=%s', 'work'])).toMatch(
      operation === 'merge' ? /^Merge branch/ : /^Theirs$/,
    );
    if (operation === 'merge') expect(fixture.sh(['log', '-1', '--format=%P', 'work'])).toBe(`${ours} ${theirs}`);
  });

  it('is restored at the same commit during a rebase, with a warning that the rebase is not continued', async () => {
    fixture.write('readme.md', 'ours\n', tree);
    fixture.commit('Ours', tree);
    fixture.write('readme.md', 'theirs\n');
    const onto = fixture.commit('Theirs');
    expect(() => fixture.sh(['rebase', 'main'], tree)).toThrow();
    const before = snapshot(tree);
    const { inProgress } = await fixture.git.removalRisk(fixture.checkout(tree));
    expect(inProgress).toEqual({ operation: 'rebase', saved: false });
    const { ref } = await save();
    await remove();
    expect(await restore(ref)).toEqual({ sha: onto, warnings: [expect.stringMatching(/rebase was in progress/)] });
    expect(snapshot(tree)).toEqual(before);
  });

  it('is restored on its branch, with its staged changes', async () => {
    fixture.sh(['checkout', '--quiet', '-b', 'other'], tree);
    fixture.write('o.txt', 'committed\n', tree);
    const head = fixture.commit('On another branch', tree);
    fixture.write('o.txt', 'staged\n', tree);
    fixture.sh(['add', 'o.txt'], tree);
    fixture.write('o.txt', 'unstaged\n', tree);
    const { ref } = await save();
    await remove();
    expect(await fixture.git.recoveryBranch(fixture.row, ref)).toBe('other');
    expect(await restore(ref)).toEqual({ sha: head, warnings: [] });
    expect(fixture.sh(['status', '--porcelain', '--branch'], tree)).toBe('## other\nMM o.txt');
    expect(fixture.sh(['show', ':o.txt'], tree)).toBe('staged');
  });

  it('is restored with nested repositories, their history and their changes', async () => {
    const nested = `${tree}/deep/sub`;
    mkdirSync(nested, { recursive: true });
    fixture.sh(['init', '--quiet'], nested);
    fixture.write('p', 'p\n', nested);
    fixture.write('100%~.txt', 'odd\n', nested);
    const head = fixture.commit('Nested', nested);
    fixture.write('p', 'changed\n', nested);
    fixture.write('.git/hooks/post-commit', '#!/bin/sh\n', nested);
    chmodSync(`${nested}/.git/hooks/post-commit`, 0o755);
    mkdirSync(`${tree}/added`);
    fixture.sh(['init', '--quiet'], `${tree}/added`);
    const added = fixture.commit('Added', `${tree}/added`);
    fixture.sh(['add', 'added'], tree);
    const risk = await fixture.git.removalRisk(fixture.checkout(tree));
    expect(risk).toMatchObject({ untracked: ['deep/sub/'], leftOut: [] });
    const { ref, leftOut } = await save();
    expect(leftOut).toEqual([]);
    await remove();
    await restore(ref);
    expect(fixture.sh(['rev-parse', 'HEAD'], nested)).toBe(head);
    expect(fixture.sh(['status', '--porcelain'], nested)).toBe(' M p');
    expect(fixture.sh(['fsck', '--strict'], nested)).toBe('');
    expect(snapshot(nested)).toMatchObject({ p: 'file changed\n', '100%~.txt': 'file odd\n' });
    expect(statSync(`${nested}/.git/hooks/post-commit`).mode & 0o700).toBe(0o700);
    expect(fixture.sh(['rev-parse', 'HEAD'], `${tree}/added`)).toBe(added);
    expect(status()).toEqual(['A  added', '?? deep/sub/']);
  });

  it('is restored with ignored files that people write, but without build output', async () => {
    fixture.write('.gitignore', 'node_modules/\ndata/\n.env\n*.o\n', tree);
    fixture.commit('Ignored', tree);
    fixture.write('.env', 'SECRET=1\n', tree);
    chmodSync(`${tree}/.env`, 0o600);
    fixture.write('data/local.db', Buffer.from([0, 1, 2]), tree);
    mkdirSync(`${tree}/data/empty`);
    for (let number = 0; number < 101; number += 1) fixture.write(`node_modules/${number}.js`, '', tree);
    fixture.write('big.o', '', tree);
    truncateSync(`${tree}/big.o`, 33 * 1024 * 1024);
    const risk = await fixture.git.removalRisk(fixture.checkout(tree));
    expect(risk.leftOut).toEqual([]);
    expect(risk.ignored).toEqual([
      { path: '.env', bytes: 9, saved: true },
      { path: 'big.o', bytes: 33 * 1024 * 1024, saved: false },
      { path: 'data/', bytes: 3, saved: true },
      { path: 'node_modules/', bytes: 0, saved: false },
    ]);
    const { ref, leftOut } = await save();
    expect(leftOut).toEqual([]);
    await remove();
    await restore(ref);
    expect(readFileSync(`${tree}/.env`, 'utf8')).toBe('SECRET=1\n');
    expect(statSync(`${tree}/.env`).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${tree}/data/local.db`)).toEqual(Buffer.from([0, 1, 2]));
    expect(existsSync(`${tree}/data/empty`)).toBe(true);
    expect([existsSync(`${tree}/big.o`), existsSync(`${tree}/node_modules`)]).toEqual([false, false]);
    expect(fixture.sh(['status', '--porcelain'], tree)).toBe('');
  });

  it('is restored with warnings when its branch has moved', async () => {
    fixture.write('readme.md', 'ours\n', tree);
    fixture.commit('Ours', tree);
    fixture.write('readme.md', 'theirs\n');
    fixture.commit('Theirs');
    expect(() => fixture.sh(['merge', 'main'], tree)).toThrow();
    const { ref } = await save();
    await remove();
    fixture.sh(['checkout', '--quiet', 'work']);
    fixture.commit('Later');
    fixture.sh(['checkout', '--quiet', 'main']);
    const { warnings } = await restore(ref);
    expect(warnings).toEqual([
      expect.stringMatching(/conflict.*work is no longer at/),
      expect.stringMatching(/is not continued/),
    ]);
    expect(fixture.sh(['status', '--porcelain'], tree)).toBe(' M readme.md');
  });

  it('is restored without changes if it had none, and its commits stay reachable', async () => {
    fixture.commit('Only here', tree);
    const tip = fixture.sh(['rev-parse', 'work']);
    const { ref, sha } = await save();
    await remove();
    fixture.sh(['branch', '--quiet', '-D', 'work']);
    expect(fixture.sh(['rev-parse', `${sha}^1`])).toBe(tip);
    expect(await restore(ref)).toEqual({ sha: tip, warnings: [] });
    expect(fixture.sh(['status', '--porcelain', '--branch'], tree)).toBe('## work');
  });

  it('is restored on top of a branch that has moved', async () => {
    fixture.write('readme.md', 'changed here\n', tree);
    fixture.write('untracked.txt', 'mine\n', tree);
    const { ref } = await save();
    await remove();
    fixture.sh(['checkout', '--quiet', 'work']);
    fixture.write('later.txt', 'committed later\n');
    const moved = fixture.commit('Later');
    fixture.sh(['checkout', '--quiet', 'main']);
    expect(await restore(ref)).toEqual({ sha: moved, warnings: [] });
    expect(status()).toEqual([' M readme.md', '?? untracked.txt']);
    expect(snapshot(tree)['later.txt']).toBe('file committed later\n');
  });

  it('is not written through a link that the branch contains now', async () => {
    fixture.write('place/file.txt', 'mine\n', tree);
    const { ref } = await save();
    await remove();
    mkdirSync(fixture.path('outside'));
    fixture.sh(['checkout', '--quiet', 'work']);
    symlinkSync(fixture.path('outside'), `${fixture.repository}/place`);
    fixture.commit('A link out of the worktree');
    fixture.sh(['checkout', '--quiet', 'main']);
    await restore(ref);
    expect(snapshot(tree)['place/file.txt']).toBe('file mine\n');
    expect(snapshot(fixture.path('outside'))).toEqual({});
  });

  it('is restored with a detached HEAD if it had one', async () => {
    fixture.sh(['checkout', '--quiet', '--detach'], tree);
    const lonely = fixture.commit('On no branch', tree);
    fixture.write('untracked.txt', 'mine\n', tree);
    const { ref } = await save();
    await remove();
    expect(await restore(ref)).toEqual({ sha: lonely, warnings: [] });
    expect(fixture.sh(['status', '--porcelain', '--branch'], tree)).toBe('## HEAD (no branch)\n?? untracked.txt');
  });

  it('can be restored after a restore that failed, which leaves nothing behind', async () => {
    fixture.write('untracked.txt', 'mine\n', tree);
    const { ref } = await save();
    await remove();
    const blob = fixture.sh(['rev-parse', `${ref}:untracked.txt`]);
    const object = fixture.path('repository/.git/objects', blob.slice(0, 2), blob.slice(2));
    renameSync(object, fixture.path('object'));
    expect(await code(restore(ref))).toBe('GIT_FAILED');
    expect(remains(fixture, tree, 'work')).toEqual(['refs/heads/work']);
    renameSync(fixture.path('object'), object);
    await restore(ref);
    expect(snapshot(tree)['untracked.txt']).toBe('file mine\n');
  });
});

describe('saveRecovery', () => {
  it('omits files that are too large, and says so before and after the removal', async () => {
    fixture.write('huge.bin', '', tree);
    truncateSync(`${tree}/huge.bin`, 101 * 1024 * 1024);
    fixture.write('small.txt', 'kept\n', tree);
    mkdirSync(`${tree}/nested`);
    fixture.sh(['init', '--quiet'], `${tree}/nested`);
    fixture.commit('Nested', `${tree}/nested`);
    fixture.write('huge.bin', '', `${tree}/nested`);
    truncateSync(`${tree}/nested/huge.bin`, 101 * 1024 * 1024);
    const before = (await fixture.git.removalRisk(fixture.checkout(tree))).leftOut;
    const { ref, leftOut } = await save();
    expect(leftOut.toSorted()).toEqual(['huge.bin', 'nested/']);
    expect(before).toEqual(leftOut);
    expect(fixture.sh(['diff', '--name-only', 'work', ref])).toBe('small.txt');
  });

  it('commits without a configured identity', async () => {
    const { ref } = await save();
    expect(fixture.sh(['log', '-1', '--format=%an <%ae> %cn <%ce>', ref])).toBe(
      'Agent Console <agent-console@localhost> Agent Console <agent-console@localhost>',
    );
  });

  it('works before the first commit', async () => {
    const empty = fixture.path('empty');
    fixture.sh(['init', '--quiet', empty], fixture.root);
    fixture.write('first.txt', 'never committed\n', empty);
    const repository = { path: empty, commonDir: path.join(empty, '.git') };
    const checkout = { repository, worktree: { path: empty, branch: null } };
    const { ref } = await fixture.git.saveRecovery(checkout, 'wt-000-none');
    expect(fixture.sh(['show', `${ref}:first.txt`], empty)).toBe('never committed');
  });

  it('writes a ref that an ordinary push does not send', async () => {
    await save();
    fixture.sh(['init', '--quiet', '--bare', fixture.path('remote.git')]);
    fixture.sh(['remote', 'add', 'origin', fixture.path('remote.git')]);
    fixture.sh(['push', '--quiet', '--all', '--follow-tags', 'origin']);
    fixture.sh(['push', '--quiet', '--tags', 'origin']);
    expect(fixture.sh(['for-each-ref', '--format=%(refname)'], fixture.path('remote.git')).split('\n')).toEqual([
      'refs/heads/main',
      'refs/heads/work',
    ]);
  });

  it('saves a folder whose name is not valid in a ref', async () => {
    const names = [
      'My Project',
      'a..b',
      '-x',
      '.hidden',
      'notes.lock',
      'HEAD',
      'x@{1}',
      'été',
      'a\n{}',
      'n'.repeat(255),
    ];
    const git = fixture.adapter({ clock: () => NOW });
    const refs = new Set<string>();
    for (const name of [...names, 'My.Project ']) {
      const { ref } = await git.saveRecovery(fixture.checkout(tree), name);
      expect(await git.recoveryBranch(fixture.row, ref), name).toBe('work');
      refs.add(ref);
    }
    expect(refs.size).toBe(names.length + 1);
    const [ref] = refs;
    expect(ref).toMatch(/^refs\/agent-console\/recovery\/My-Project-[0-9a-f]{8}\/\d{8}T/);
  });
});

describe('recoveries', () => {
  it('are deleted when older than the limit', async () => {
    const at = (time: number) =>
      fixture.adapter({ clock: () => time }).saveRecovery(fixture.checkout(tree), 'wt-001-abcd');
    await at(NOW - 2000);
    await at(NOW - 1000);
    const kept = await at(NOW);
    expect(await fixture.git.pruneRecoveries(fixture.row, { before: new Date(NOW), keep: 10, bytes: 1e9 })).toBe(2);
    expect(await fixture.git.pruneRecoveries(fixture.row, { before: new Date(NOW), keep: 10, bytes: 1e9 })).toBe(0);
    expect(fixture.sh(['for-each-ref', '--format=%(refname)', 'refs/agent-console'])).toBe(kept.ref);
  });

  it('are deleted, oldest first, if there are more than the number to keep in all worktrees', async () => {
    const at = (time: number, name: string) =>
      fixture.adapter({ clock: () => time }).saveRecovery(fixture.checkout(tree), name);
    await at(NOW - 4000, 'wt-002-bbbb');
    await at(NOW - 3000, 'wt-001-aaaa');
    const kept = [await at(NOW - 2000, 'wt-002-bbbb'), await at(NOW - 1000, 'wt-001-aaaa')].map(({ ref }) => ref);
    expect(
      await fixture.git.pruneRecoveries(fixture.row, { before: new Date(NOW - 10_000), keep: 2, bytes: 1e9 }),
    ).toBe(2);
    const left = fixture.sh(['for-each-ref', '--format=%(refname)', 'refs/agent-console']);
    expect(left.split('\n').toSorted()).toEqual(kept.toSorted());
  });

  it('are deleted, oldest first, if they are larger than the size to keep, except the newest', async () => {
    const at = async (time: number, bytes: number) => {
      fixture.write('big.bin', randomBytes(bytes), tree);
      return fixture.adapter({ clock: () => time }).saveRecovery(fixture.checkout(tree), 'wt-001-aaaa');
    };
    await at(NOW - 2000, 200_000);
    const kept = [await at(NOW - 1000, 50_000), await at(NOW, 50_000)].map(({ ref }) => ref);
    const limits = { before: new Date(NOW - 10_000), keep: 10 };
    const left = () => fixture.sh(['for-each-ref', '--format=%(refname)', 'refs/agent-console']).split('\n');
    expect(await fixture.git.pruneRecoveries(fixture.row, { ...limits, bytes: 150_000 })).toBe(1);
    expect(left()).toEqual(kept);
    expect(await fixture.git.pruneRecoveries(fixture.row, { ...limits, bytes: 1_000 })).toBe(1);
    expect(left()).toEqual(kept.slice(1));
  });

  it('are NOT_FOUND if they are deleted or invalid', async () => {
    await remove();
    expect(await code(restore('refs/agent-console/recovery/wt-001-abcd/20200101T000000000Z'))).toBe('NOT_FOUND');
    expect(await code(restore('refs/heads/main'))).toBe('NOT_FOUND');
    expect(await code(restore('--upload-pack=x'))).toBe('NOT_FOUND');
  });
});

describe('removalRisk', () => {
  it('lists changes, untracked files, unpushed commits, and ignored files with sizes', async () => {
    fixture.write('readme.md', 'changed\n', tree);
    fixture.write('staged.txt', 'new\n', tree);
    fixture.sh(['add', 'staged.txt'], tree);
    fixture.sh(['commit', '--quiet', '-m', 'Only here'], tree);
    const only = fixture.sh(['rev-parse', 'work']);
    fixture.write('staged.txt', 'newer\n', tree);
    fixture.sh(['add', 'staged.txt'], tree);
    fixture.write('new/a b.txt', '', tree);
    fixture.write('node_modules/pkg/index.js', '12345', tree);
    fixture.write('node_modules/other.js', '1234567', tree);
    fixture.write('debug.log', '123', tree);
    expect(await fixture.git.removalRisk(fixture.checkout(tree))).toEqual({
      uncommitted: ['readme.md', 'staged.txt'],
      untracked: ['new/a b.txt'],
      unpushed: [`${only} Only here`],
      ignored: [
        { path: 'debug.log', bytes: 3, saved: true },
        { path: 'node_modules/', bytes: 12, saved: true },
      ],
      leftOut: [],
      inProgress: null,
      more: 0,
      counts: { uncommitted: 2, untracked: 1, unpushed: 1, unsavedIgnored: 0, leftOut: 0 },
    });
  });

  it('is empty for a clean worktree whose commits are on another branch or remote', async () => {
    const nothing = {
      uncommitted: [],
      untracked: [],
      unpushed: [],
      ignored: [],
      leftOut: [],
      inProgress: null,
      more: 0,
      counts: { uncommitted: 0, untracked: 0, unpushed: 0, unsavedIgnored: 0, leftOut: 0 },
    };
    fixture.commit('Pushed', tree);
    fixture.sh(['update-ref', 'refs/remotes/origin/work', 'work']);
    expect(await fixture.git.removalRisk(fixture.checkout(tree))).toEqual(nothing);
  });

  it('counts the entries beyond the limit of its lists', async () => {
    for (let number = 0; number < 1_005; number += 1) fixture.write(`many/${number}`, '', tree);
    const risk = await fixture.git.removalRisk(fixture.checkout(tree));
    expect([risk.untracked.length, risk.more, risk.counts.untracked]).toEqual([1_000, 5, 1_005]);
  });

  it('lists the commits of a detached HEAD', async () => {
    fixture.sh(['checkout', '--quiet', '--detach'], tree);
    const lonely = fixture.commit('On no branch', tree);
    expect((await fixture.git.removalRisk(fixture.checkout(tree))).unpushed).toEqual([`${lonely} On no branch`]);
  });
});

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
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { code, createFixture, type Fixture, recoveriesOf, remains, snapshot, treesOf } from './fixture.ts';

let fixture: Fixture;
let tree: string;
const { add } = treesOf(() => fixture);
const { save, remove, restore } = recoveriesOf(() => fixture);

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
  await add('work');
});
afterEach(() => fixture.remove());

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

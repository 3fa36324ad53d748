import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Checkout } from '../../src/ports/checkout.ts';
import type { Snapshot } from '../../src/ports/git-comparison.ts';
import { createFixture, type Fixture, failure, gitThatFirst } from './fixture.ts';

let f: Fixture;
let one: Checkout;
let other: Checkout;
beforeAll(() => {
  f = createFixture();
  const make = (branch: string) => {
    f.sh(['worktree', 'add', '--quiet', '-b', branch, f.path(branch)]);
    return f.checkout(f.path(branch), branch);
  };
  one = make('one');
  other = make('other');
});
afterAll(() => f.remove());

const take = async (checkout: Checkout, last: Snapshot | null = null): Promise<Snapshot> => {
  const snapshot = await f.git.snapshot(checkout, 'main', last);
  if (snapshot === null) throw new Error('no commits');
  return snapshot;
};

it('takes a new snapshot only of a checkout that changed', async () => {
  const at = one.worktree.path;
  const clean = await take(one);
  expect(clean).toMatchObject({ commit: f.sh(['rev-parse', 'main']), files: [] });
  expect(await take(one, clean)).toBe(clean);

  f.write('readme.md', 'one\ntwo\nTHREE\n', at);
  const edited = await take(one, clean);
  expect(edited.files).toEqual(['readme.md']);
  expect(await take(one, edited)).toBe(edited);

  // Only the content shows this change: the size stays the same, and the modification time is in the past.
  writeFileSync(`${at}/readme.md`, 'one\ntwo\nDREI!\n');
  utimesSync(`${at}/readme.md`, 1, 1);
  const again = await take(one, edited);
  expect(again.commit).not.toBe(edited.commit);

  f.write('new.txt', '', at);
  rmSync(`${at}/src/app.ts`);
  const more = await take(one, again);
  expect(more.files).toEqual(['new.txt', 'readme.md', 'src/app.ts']);

  f.commit('All of it', at);
  const committed = await take(one, more);
  expect(committed.commit).toBe(f.sh(['rev-parse', 'one']));
  expect(committed.files).toEqual(more.files);

  // Commits on the base, and work that is already integrated into the base, do not count as changes of the worktree.
  f.write('base.txt', 'base\n');
  f.commit('Move the base');
  const behind = await take(one, committed);
  expect({ ...behind, baseHead: committed.baseHead }).toEqual(committed);
  f.sh(['merge', '--quiet', '--no-edit', 'one']);
  expect((await take(one, behind)).files).toEqual([]);
  expect(f.sh(['status', '--porcelain'], at)).toBe('');
});

it('finds the conflicts between committed and uncommitted work', async () => {
  f.write('both.txt', 'one\n', one.worktree.path);
  f.commit('One', one.worktree.path);
  f.write('both.txt', 'other\n', other.worktree.path);
  const [ours, theirs] = [await take(one), await take(other)];
  expect(await f.git.conflictsBetween(one.repository, ours, theirs)).toEqual(['both.txt']);
  expect(await f.git.conflictsBetween(one.repository, ours, { ...theirs, store: theirs.store + 1 })).toBeNull();
});

it('says that it cannot find conflicts with a git that cannot merge without a checkout', async () => {
  const env = gitThatFirst(
    f,
    `case "$*" in *' merge-tree '*) echo 'usage: git merge-tree <base-tree> <branch1> <branch2>' >&2; exit 129;; esac`,
  );
  const old = f.adapter({ env });
  const [ours, theirs] = [await old.snapshot(one, 'main', null), await old.snapshot(other, 'main', null)];
  if (ours === null || theirs === null) throw new Error('no commits');
  const refused = await failure(old.conflictsBetween(one.repository, ours, theirs));
  expect(refused).toMatchObject({ code: 'UNSUPPORTED', message: expect.stringContaining('Install git 2.38') });
});

it('finds a conflict that concerns a folder and no file', async () => {
  f.write('split/one.txt', 'one\n');
  f.write('split/two.txt', 'two\n');
  f.commit('Base');
  const [ours, theirs] = ['moving', 'adding'].map((branch) => {
    f.sh(['worktree', 'add', '--quiet', '-b', branch, f.path(branch), 'main']);
    return f.checkout(f.path(branch), branch);
  });
  if (ours === undefined || theirs === undefined) throw new Error('two checkouts were made');
  for (const name of ['one', 'two']) {
    f.write(`${name}/moved.txt`, `${name}\n`, ours.worktree.path);
    rmSync(f.path('moving/split', `${name}.txt`));
  }
  f.write('split/new.txt', 'new\n', theirs.worktree.path);
  expect(await f.git.conflictsBetween(ours.repository, await take(ours), await take(theirs))).toEqual(['split']);
});

it('finds no conflict between branches without a common commit', async () => {
  f.sh(['worktree', 'add', '--quiet', '--detach', f.path('pages'), 'main']);
  f.sh(['switch', '--quiet', '--orphan', 'pages'], f.path('pages'));
  f.write('readme.md', 'pages\n', f.path('pages'));
  f.commit('Pages', f.path('pages'));
  f.write('readme.md', 'edited\n', f.path('pages'));
  f.write('readme.md', 'edited too\n', other.worktree.path);
  const pages = f.checkout(f.path('pages'), 'pages');
  const [ours, theirs] = [await take(other), await take(pages)];
  expect(theirs.files).toEqual(['readme.md']);
  expect(await f.git.conflictsBetween(one.repository, ours, theirs)).toEqual([]);
});

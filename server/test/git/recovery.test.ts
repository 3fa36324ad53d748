import { randomBytes } from 'node:crypto';
import { mkdirSync, truncateSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { code, createFixture, type Fixture, recoveriesOf, SAVED_AT, treesOf } from './fixture.ts';

let fixture: Fixture;
let tree: string;
const { add } = treesOf(() => fixture);
const { save, remove, restore } = recoveriesOf(() => fixture);

beforeEach(async () => {
  fixture = createFixture();
  tree = fixture.path('trees/work');
  await add('work');
});
afterEach(() => fixture.remove());

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
    const git = fixture.adapter({ clock: () => SAVED_AT });
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
    await at(SAVED_AT - 2000);
    await at(SAVED_AT - 1000);
    const kept = await at(SAVED_AT);
    expect(await fixture.git.pruneRecoveries(fixture.row, { before: new Date(SAVED_AT), keep: 10, bytes: 1e9 })).toBe(
      2,
    );
    expect(await fixture.git.pruneRecoveries(fixture.row, { before: new Date(SAVED_AT), keep: 10, bytes: 1e9 })).toBe(
      0,
    );
    expect(fixture.sh(['for-each-ref', '--format=%(refname)', 'refs/agent-console'])).toBe(kept.ref);
  });

  it('are deleted, oldest first, if there are more than the number to keep in all worktrees', async () => {
    const at = (time: number, name: string) =>
      fixture.adapter({ clock: () => time }).saveRecovery(fixture.checkout(tree), name);
    await at(SAVED_AT - 4000, 'wt-002-bbbb');
    await at(SAVED_AT - 3000, 'wt-001-aaaa');
    const kept = [await at(SAVED_AT - 2000, 'wt-002-bbbb'), await at(SAVED_AT - 1000, 'wt-001-aaaa')].map(
      ({ ref }) => ref,
    );
    expect(
      await fixture.git.pruneRecoveries(fixture.row, { before: new Date(SAVED_AT - 10_000), keep: 2, bytes: 1e9 }),
    ).toBe(2);
    const left = fixture.sh(['for-each-ref', '--format=%(refname)', 'refs/agent-console']);
    expect(left.split('\n').toSorted()).toEqual(kept.toSorted());
  });

  it('are deleted, oldest first, if they are larger than the size to keep, except the newest', async () => {
    const at = async (time: number, bytes: number) => {
      fixture.write('big.bin', randomBytes(bytes), tree);
      return fixture.adapter({ clock: () => time }).saveRecovery(fixture.checkout(tree), 'wt-001-aaaa');
    };
    await at(SAVED_AT - 2000, 200_000);
    const kept = [await at(SAVED_AT - 1000, 50_000), await at(SAVED_AT, 50_000)].map(({ ref }) => ref);
    const limits = { before: new Date(SAVED_AT - 10_000), keep: 10 };
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

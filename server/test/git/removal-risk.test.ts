import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFixture, type Fixture, treesOf } from './fixture.ts';

let fixture: Fixture;
let tree: string;
const { add } = treesOf(() => fixture);

beforeEach(async () => {
  fixture = createFixture();
  fixture.write('.gitignore', 'node_modules/\n*.log\n');
  fixture.commit('Ignored files');
  tree = fixture.path('trees/work');
  await add('work');
});
afterEach(() => fixture.remove());

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

import { describe, expect, it } from 'vitest';
import { groupLosses, type RemovalLosses } from '../../src/features/worktrees/removal-losses.ts';

const losses = (fields: Partial<RemovalLosses>): RemovalLosses => ({
  uncommitted: [],
  untracked: [],
  unpushed: [],
  ignored: [],
  leftOut: [],
  inProgress: null,
  more: 0,
  ...fields,
});
const grouped = (fields: Partial<RemovalLosses>, branch: string | null = 'fix') =>
  groupLosses(losses(fields), branch).map(({ title, fate, items, gone }) => [title, fate, items, gone]);

describe('the contents of a removed worktree', () => {
  it('separate what cannot be saved', () => {
    const leftOut = ['module/', 'big.bin'];
    expect(grouped({ uncommitted: ['module', 'b'], untracked: ['big.bin', 'sub/'], leftOut })).toEqual([
      ['Uncommitted changes', 'saved for 30 days', ['b'], false],
      ['Untracked files', 'saved for 30 days', ['sub/'], false],
      ['Files that cannot be saved', 'not saved', ['module/', 'big.bin'], true],
    ]);
  });

  it('separate saved ignored files from others', () => {
    const ignored = [
      { path: '.env', bytes: 12, saved: true },
      { path: 'node_modules/', bytes: 2_100_000, saved: false },
    ];
    expect(grouped({ ignored })).toEqual([
      ['Ignored files', 'saved for 30 days', ['.env (12 B)'], false],
      ['Ignored folders and large ignored files', '2.1 MB, not saved', ['node_modules/ (2.1 MB)'], true],
    ]);
  });

  it('include a git operation in progress', () => {
    expect(grouped({ inProgress: { operation: 'merge', saved: true } })).toEqual([
      ['Git operation in progress', 'saved for 30 days', ['merge'], false],
    ]);
    expect(grouped({ inProgress: { operation: 'rebase', saved: false } })).toEqual([
      ['Git operation in progress', 'not saved', ['rebase'], true],
    ]);
  });

  it('keep commits on their branch, or save them without one', () => {
    expect(grouped({ unpushed: ['1 x'] })).toEqual([['Unpushed commits', 'kept on the branch', ['1 x'], false]]);
    expect(grouped({ unpushed: ['1 x'] }, null)[0]?.[1]).toBe('saved for 30 days');
  });
});

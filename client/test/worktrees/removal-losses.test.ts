import { describe, expect, it } from 'vitest';
import { groupLosses, type RemovalLosses } from '../../src/features/worktrees/removal-losses.ts';

const lost = (fields: Partial<RemovalLosses>): RemovalLosses => ({
  uncommitted: [],
  untracked: [],
  unpushed: [],
  ignored: [],
  leftOut: [],
  inProgress: null,
  more: 0,
  ...fields,
});
const said = (fields: Partial<RemovalLosses>, branch: string | null = 'fix') =>
  groupLosses(lost(fields), branch).map(({ title, fate, items, gone }) => [title, fate, items, gone]);

describe('what goes with a worktree', () => {
  it('says what cannot be saved, apart from what is', () => {
    const leftOut = ['module', 'big.bin'];
    expect(said({ uncommitted: ['module', 'b'], untracked: ['big.bin', 'sub/'], leftOut })).toEqual([
      ['Uncommitted changes', 'saved for 30 days', ['b'], false],
      ['Untracked files', 'saved for 30 days', ['sub/'], false],
      ['Cannot be saved', 'not saved', ['module', 'big.bin'], true],
    ]);
  });

  it('tells ignored files that come back from those that do not', () => {
    const ignored = [
      { path: '.env', bytes: 12, saved: true },
      { path: 'node_modules/', bytes: 2_100_000, saved: false },
    ];
    expect(said({ ignored })).toEqual([
      ['Ignored files', 'saved for 30 days', ['.env (12 B)'], false],
      ['Ignored folders and large files', '2.1 MB, not saved', ['node_modules/ (2.1 MB)'], true],
    ]);
  });

  it('names what git was in the middle of', () => {
    expect(said({ inProgress: { operation: 'merge', saved: true } })).toEqual([
      ['In progress', 'saved for 30 days', ['merge'], false],
    ]);
    expect(said({ inProgress: { operation: 'rebase', saved: false } })).toEqual([
      ['In progress', 'not saved', ['rebase'], true],
    ]);
  });

  it('says that commits stay on their branch, and are kept for a while where there is none', () => {
    expect(said({ unpushed: ['1 x'] })).toEqual([
      ['Commits that are nowhere else', 'stay on the branch', ['1 x'], false],
    ]);
    expect(said({ unpushed: ['1 x'] }, null)[0]?.[1]).toBe('kept for 30 days');
  });
});

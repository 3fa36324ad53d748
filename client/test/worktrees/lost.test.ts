import { describe, expect, it } from 'vitest';
import { type Lost, lossesOf } from '../../src/features/worktrees/lost.ts';

const lost = (fields: Partial<Lost>): Lost => ({
  uncommitted: [],
  untracked: [],
  unpushed: [],
  ignored: [],
  more: 0,
  ...fields,
});
const said = (fields: Partial<Lost>, branch: string | null = 'fix') =>
  lossesOf(lost(fields), branch).map(({ title, fate, items, gone }) => [title, fate, items, gone]);

describe('what goes with a worktree', () => {
  it('does not promise to save a repository in it', () => {
    expect(said({ untracked: ['a.txt', 'sub/'] })).toEqual([
      ['Untracked files', 'saved for 30 days, up to 100 MB', ['a.txt'], false],
      ['Too large, or repositories of their own', 'not saved', ['sub/'], true],
    ]);
  });

  it('says which files cannot be saved where the console names them', () => {
    expect(said({ uncommitted: ['module', 'b'], untracked: ['big.bin'], leftOut: ['module', 'big.bin'] })).toEqual([
      ['Uncommitted changes', 'saved for 30 days', ['b'], false],
      ['Too large, or repositories of their own', 'not saved', ['module', 'big.bin'], true],
    ]);
  });

  it('names ignored files with their size as gone', () => {
    expect(said({ ignored: [{ path: '.env', bytes: 12 }] })).toEqual([
      ['Ignored files', '12 B, not saved', ['.env (12 B)'], true],
    ]);
  });

  it('says that commits stay on their branch, and are kept for a while where there is none', () => {
    expect(said({ unpushed: ['1 x'] })).toEqual([
      ['Commits that are nowhere else', 'stay on the branch', ['1 x'], false],
    ]);
    expect(said({ unpushed: ['1 x'] }, null)[0]?.[1]).toBe('kept for 30 days');
  });
});

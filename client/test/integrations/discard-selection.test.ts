import { expect, it } from 'vitest';
import {
  chosenOf,
  discardRequest,
  isDivisible,
  restoreCommand,
  toggled,
  unitKey,
  unitsOf,
} from '../../src/features/integrations/discard-selection.ts';
import { file, hunkAt } from '../diff/files.ts';

const changed = file('a.txt', [], { hunks: [hunkAt(1, ['-a', '+b']), hunkAt(20, ['+c'])] });
const renamed = file('new.txt', ['-a'], { status: 'renamed', oldPath: 'old.txt' });
const added = file('added.txt', [], { status: 'untracked', hunks: changed.hunks });
const files = [changed, renamed, added];

it('divides only changed files with several hunks', () => {
  expect(files.map(isDivisible)).toEqual([true, false, false]);
});

it('discards whole files by path, and a renamed file by both of its paths', () => {
  expect(discardRequest(files, new Set())).toEqual({ paths: ['a.txt', 'new.txt', 'old.txt', 'added.txt'] });
});

it('discards only the selected hunks of a partly selected file', () => {
  const excluded = toggled(toggled(new Set(), [unitKey(changed, 0)]), unitsOf(added));
  expect(files.map((each) => chosenOf(each, excluded))).toEqual(['some', 'all', 'none']);
  expect(discardRequest(files, excluded)).toEqual({
    paths: ['new.txt', 'old.txt'],
    hunks: [{ path: 'a.txt', oldStart: 20, newStart: 20, lines: ['+c'] }],
  });
  // The first click on the box of a partly selected file deselects the file, and the second click selects all of it.
  const none = toggled(excluded, unitsOf(changed));
  expect(chosenOf(changed, none)).toBe('none');
  expect(chosenOf(changed, toggled(none, unitsOf(changed)))).toBe('all');
});

it('names files in the command that restores them, quoted for a shell', () => {
  const one = { path: "it's.txt", status: 'modified' } as const;
  expect(restoreCommand('refs/x', [one])).toBe("git restore --source=refs/x -- 'it'\\''s.txt'");
  expect(restoreCommand('refs/x', Array(6).fill(one))).toBe('git restore --source=refs/x -- <file>');
});

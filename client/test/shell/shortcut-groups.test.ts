import { expect, test } from 'vitest';
import { groupShortcuts } from '../../src/shell/shortcut-groups.ts';

const shortcut = (group: string, keys: string, label: string, rest = {}) => ({
  group,
  keys,
  defaultKeys: keys,
  label,
  run() {},
  ...rest,
});

test('lists only active shortcuts, those of the page first, with their hint', () => {
  const groups = groupShortcuts([
    shortcut('Anywhere', 'c', 'Delegate work'),
    shortcut('Anywhere', '$mod+KeyK', 'Search'),
    shortcut('Question', 'y', 'Yes', { isAnswer: true }),
    shortcut('Diff', 'c', 'Comment', { hint: 'Choose lines with ↑.' }),
    shortcut('Diff', 'y', 'Yank'),
  ]);
  expect(groups.map(({ name, hint, rows }) => [name, hint, rows.map(({ label }) => label)])).toEqual([
    ['Diff', 'Choose lines with ↑.', ['Comment']],
    ['Question', undefined, ['Yes']],
    ['Anywhere', undefined, ['Search']],
  ]);
});

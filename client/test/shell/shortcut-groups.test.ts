import { expect, test } from 'vitest';
import { groupShortcuts } from '../../src/shell/shortcut-groups.ts';
import { labelOf, type ShortcutId } from '../../src/shell/shortcut-labels.ts';

const shortcut = (group: string, keys: string, id: ShortcutId, rest: { hint?: string } = {}) => ({
  group,
  keys,
  defaultKeys: keys,
  id,
  run() {},
  ...rest,
});

test('lists only active shortcuts, those of the page first, with their hint', () => {
  const answer = { group: 'Question', keys: 'v', defaultKeys: 'v', label: 'Yes', isAnswer: true, run() {} } as const;
  const groups = groupShortcuts([
    shortcut('Anywhere', 'c', 'delegate-work'),
    shortcut('Anywhere', '$mod+KeyK', 'search'),
    answer,
    shortcut('Diff', 'c', 'comment-on-the-selected-lines', { hint: 'Choose lines with ↑.' }),
    shortcut('Diff', 'v', 'show-conversation'),
  ]);
  expect(groups.map(({ name, hint, rows }) => [name, hint, rows.map(labelOf)])).toEqual([
    ['Diff', 'Choose lines with ↑.', ['Comment on the selected lines']],
    ['Question', undefined, ['Yes']],
    ['Anywhere', undefined, ['Search']],
  ]);
});

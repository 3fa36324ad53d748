import { expect, test } from 'vitest';
import { groupShortcuts } from '../../src/shell/shortcut-groups.ts';
import { labelOf, type ShortcutId } from '../../src/shell/shortcut-labels.ts';

const shortcut = (keys: string, id: ShortcutId) => ({ keys, defaultKeys: keys, id, run() {} });

test('lists only active shortcuts, those of the page first, with their hint', () => {
  const answer = { keys: 'v', defaultKeys: 'v', label: 'Yes', isAnswer: true, run() {} } as const;
  const groups = groupShortcuts([
    shortcut('c', 'delegate-work'),
    shortcut('$mod+KeyK', 'search-or-run-a-command'),
    answer,
    shortcut('c', 'comment-on-the-selected-lines'),
    shortcut('v', 'show-conversation'),
  ]);
  expect(groups.map(({ name, hint, rows }) => [name, hint, rows.map(labelOf)])).toEqual([
    ['Diff', expect.stringContaining('To select lines'), ['Comment on the selected lines']],
    ['Question', undefined, ['Yes']],
    ['Anywhere', undefined, ['Search or run a command']],
  ]);
});

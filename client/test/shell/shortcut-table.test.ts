import { expect, test } from 'vitest';
import { refusalOfKeys } from '../../src/shell/key-changes.ts';
import { PAGES } from '../../src/shell/pages.ts';
import { SHORTCUT_LABELS } from '../../src/shell/shortcut-labels.ts';
import { SHORTCUTS } from '../../src/shell/shortcut-table.ts';

test('every shortcut is in one region', () => {
  const ids = SHORTCUTS.map(({ id }) => id);
  expect(ids.toSorted()).toEqual(Object.keys(SHORTCUT_LABELS).toSorted());
});

test('every page has a shortcut', () => {
  expect(SHORTCUTS.filter(({ region }) => region === 'goTo').map(({ id }) => id)).toEqual([
    ...PAGES.map(({ id }) => id),
    'search',
  ]);
});

test('the default keys could be chosen', () => {
  const refused = SHORTCUTS.map(({ id, defaultKeys }) => refusalOfKeys(defaultKeys, id, {}));
  expect(refused.filter((each) => each !== undefined)).toEqual([]);
});

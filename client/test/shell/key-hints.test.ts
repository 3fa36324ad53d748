import { expect, test } from 'vitest';
import { keysInForce } from '../../src/shell/key-hints.ts';

test('a hint shows keys only if they run the named shortcut', () => {
  const shortcuts = [
    { id: 'filter-sessions', keys: '/' },
    { id: 'show-diff', keys: 'd' },
    { id: 'merge', keys: 'Shift+M' },
    { id: 'filter-files', keys: '/' },
  ] as const;
  expect(keysInForce(shortcuts, 'show-diff')).toBe('d');
  expect(keysInForce(shortcuts, 'merge')).toBe('⇧M');
  expect(keysInForce(shortcuts, 'filter-files')).toBe('/');
  expect(keysInForce(shortcuts, 'filter-sessions')).toBeUndefined();
  expect(keysInForce(shortcuts, 'show-terminal')).toBeUndefined();
});

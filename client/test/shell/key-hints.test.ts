import { expect, test } from 'vitest';
import { keysInForce } from '../../src/shell/key-hints.ts';

test('a hint shows keys only if they run the named shortcut', () => {
  const shortcuts = [
    { label: 'Filter sessions', keys: '/' },
    { label: 'Show diff', keys: 'd' },
    { label: 'Merge…', keys: 'Shift+M' },
    { label: 'Filter files', keys: '/' },
  ];
  expect(keysInForce(shortcuts, 'Show diff')).toBe('d');
  expect(keysInForce(shortcuts, 'Merge…')).toBe('⇧M');
  expect(keysInForce(shortcuts, 'Filter files')).toBe('/');
  expect(keysInForce(shortcuts, 'Filter sessions')).toBeUndefined();
  expect(keysInForce(shortcuts, 'Show terminal')).toBeUndefined();
});

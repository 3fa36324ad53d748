import { expect, test } from 'vitest';
import { keyName } from '../../src/shell/key-names.ts';

test.each([
  ['[', '['],
  [']', ']'],
  ['[Shift]+?', '?'],
  ['$mod+KeyK', 'Ctrl + K'],
  ['Enter', '↵'],
  ['Digit1', '1'],
])('%s is displayed as %s', (press, name) => expect(keyName(press, false)).toBe(name));

test('macOS uses its own symbols, without separators', () => expect(keyName('$mod+KeyK', true)).toBe('⌘K'));

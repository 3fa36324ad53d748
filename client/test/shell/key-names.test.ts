import { expect, test } from 'vitest';
import { keyName } from '../../src/shell/key-names.ts';

test.each([
  ['[', '['],
  [']', ']'],
  ['[Shift]+?', '?'],
  ['$mod+KeyK', 'Ctrl + K'],
  ['Enter', '↵'],
  ['Digit1', '1'],
])('%s is shown as %s', (press, name) => expect(keyName(press, false)).toBe(name));

test('a Mac writes its own modifiers, with nothing between', () => expect(keyName('$mod+KeyK', true)).toBe('⌘K'));

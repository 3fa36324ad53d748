import { parseKeybinding } from 'tinykeys';
import { expect, test } from 'vitest';
import { chosen } from '../../src/shell/sequences.ts';

const shortcuts = ['i', 'g i', 'g s', '$mod+KeyK', '[Shift]+?', 'j', 'j'].map((keys, number) => ({
  name: `${keys} #${number}`,
  presses: parseKeybinding(keys),
}));

/** A key that a person pressed, as the browser tells it. */
function press(key: string, ...modifiers: string[]): KeyboardEvent {
  return {
    key,
    code: /^[a-z]$/.test(key) ? `Key${key.toUpperCase()}` : key,
    getModifierState: (name: string) => modifiers.includes(name),
  } as unknown as KeyboardEvent;
}

const run = (...events: KeyboardEvent[]) => chosen(shortcuts, events)?.name;

test('a sequence runs instead of the shortcut that its last key is by itself', () => {
  expect(run(press('i'))).toBe('i #0');
  expect(run(press('g'), press('i'))).toBe('g i #1');
  expect(run(press('x'), press('g'), press('s'))).toBe('g s #2');
});

test('the beginning of a sequence runs nothing', () => {
  expect(run(press('g'))).toBeUndefined();
  expect(run(press('g'), press('x'))).toBeUndefined();
});

test('a modifier that was not asked for is another key', () => {
  expect(run(press('i', 'Control'))).toBeUndefined();
  expect(run(press('k'))).toBeUndefined();
  expect(run(press('k', 'Control')) ?? run(press('k', 'Meta'))).toBe('$mod+KeyK #3');
});

test('a question mark is one on keyboards with and without Shift', () => {
  expect(run(press('?', 'Shift'))).toBe('[Shift]+? #4');
  expect(run(press('?'))).toBe('[Shift]+? #4');
});

test('of two alike the one that was added last runs', () => {
  expect(run(press('j'))).toBe('j #6');
});

import { expect, test } from 'vitest';
import { pressOf, refusalOfKeys } from '../../src/shell/key-changes.ts';

const others = [
  { id: 'inbox', keys: 'g i' },
  { id: 'delegate-work', keys: 'c' },
  { id: 'show-keyboard-shortcuts', keys: '[Shift]+?' },
];
const press = (key: string, more: Partial<KeyboardEvent> = {}) =>
  pressOf({
    key,
    code: `Key${key.toUpperCase()}`,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...more,
  });

test('keys that another shortcut uses are refused, also the start of a sequence', () => {
  const mine = { id: 'runs', keys: 'g u' };
  expect(refusalOfKeys('c', mine, others)).toMatch(/already used: Delegate work/);
  expect(refusalOfKeys('g', mine, others)).toMatch(/Inbox/);
  expect(refusalOfKeys('g i x', mine, others)).toMatch(/Inbox/);
  expect(refusalOfKeys('?', mine, others)).toMatch(/Show keyboard shortcuts/);
  expect(refusalOfKeys('g x', mine, others)).toBeUndefined();
  expect(refusalOfKeys('c', { id: 'delegate-work', keys: 'c' }, others)).toBeUndefined();
});

test('a shortcut that works in text fields needs a modifier', () => {
  const search = { id: 'search', keys: '$mod+KeyK', whileTyping: true };
  expect(refusalOfKeys('x', search, others)).toMatch(/text fields/);
  expect(refusalOfKeys('$mod+KeyJ', search, others)).toBeUndefined();
});

test('a press is named in the syntax of tinykeys', () => {
  expect(press('x')).toBe('x');
  expect(press('X', { shiftKey: true })).toBe('Shift+X');
  expect(press('k', { ctrlKey: true })).toBe('$mod+KeyK');
  expect(press('!', { shiftKey: true })).toBe('[Shift]+!');
  expect(press('Shift', { shiftKey: true })).toBeUndefined();
});

import { expect, test } from 'vitest';
import { pressOf, refusalOfKeys } from '../../src/shell/key-changes.ts';

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
  const refusal = (keys: string) => refusalOfKeys(keys, 'runs', {});
  expect(refusal('n')).toMatch(/already used: Go to the next inbox item \(Anywhere\)/);
  expect(refusal('g')).toMatch(/next inbox item/);
  expect(refusal('g i x')).toMatch(/already used: Inbox\. /);
  expect(refusal('?')).toMatch(/Show keyboard shortcuts/);
  expect(refusal('g x')).toBeUndefined();
  expect(refusal('g u')).toBeUndefined();
});

test('keys of another region are refused if both can be active on one page', () => {
  const changed = { 'next-file': 'y' };
  expect(refusalOfKeys('t', 'next-session', {})).toMatch(/Show terminal \(Session\)/);
  expect(refusalOfKeys('y', 'delegate-work', changed)).toMatch(/Next file \(Diff\)/);
  expect(refusalOfKeys('y', 'next-session', changed)).toMatch(/Next file/);
  expect(refusalOfKeys('y', 'next-turn', changed)).toBeUndefined();
  expect(refusalOfKeys('y', 'next-card', changed)).toBeUndefined();
});

test('keys that regions share by default can be exchanged within a region, and restored', () => {
  expect(refusalOfKeys('k', 'next-session', {})).toMatch(/“k” is already used: Previous session\. /);
  expect(refusalOfKeys('k', 'next-session', { 'previous-session': 'y' })).toBeUndefined();
  expect(refusalOfKeys('j', 'next-turn', { 'next-turn': 'y' })).toBeUndefined();
  expect(refusalOfKeys('j', 'next-turn', { 'show-events': 'j' })).toMatch(/Show events \(Session\)/);
});

test('a shortcut that works in text fields needs a modifier', () => {
  expect(refusalOfKeys('y', 'search-or-run-a-command', {})).toMatch(/text fields/);
  expect(refusalOfKeys('$mod+KeyJ', 'search-or-run-a-command', {})).toBeUndefined();
});

test('a press is named in the syntax of tinykeys', () => {
  expect(press('x')).toBe('x');
  expect(press('X', { shiftKey: true })).toBe('Shift+X');
  expect(press('k', { ctrlKey: true })).toBe('$mod+KeyK');
  expect(press('!', { shiftKey: true })).toBe('[Shift]+!');
  expect(press('Shift', { shiftKey: true })).toBeUndefined();
});

import { parseKeybinding } from 'tinykeys';
import { expect, test } from 'vitest';
import { isContinuation, matchShortcut, SEQUENCE_MS } from '../../src/shell/shortcut-matching.ts';

const shortcuts = ['i', 'g i', 'g s', '$mod+KeyK', '[Shift]+?', 'j', 'j'].map((keys, number) => ({
  name: `${keys} #${number}`,
  presses: parseKeybinding(keys),
}));

function press(key: string, ...modifiers: string[]): KeyboardEvent {
  return {
    key,
    code: /^[a-z]$/.test(key) ? `Key${key.toUpperCase()}` : key,
    getModifierState: (name: string) => modifiers.includes(name),
  } as unknown as KeyboardEvent;
}

const run = (...events: KeyboardEvent[]) => matchShortcut(shortcuts, events)?.name;

test('a sequence takes precedence over its last key', () => {
  expect(run(press('i'))).toBe('i #0');
  expect(run(press('g'), press('i'))).toBe('g i #1');
  expect(run(press('x'), press('g'), press('s'))).toBe('g s #2');
});

test('a prefix of a sequence runs nothing', () => {
  expect(run(press('g'))).toBeUndefined();
  expect(run(press('g'), press('x'))).toBeUndefined();
});

test('an unexpected modifier does not match', () => {
  expect(run(press('i', 'Control'))).toBeUndefined();
  expect(run(press('k'))).toBeUndefined();
  expect(run(press('k', 'Control')) ?? run(press('k', 'Meta'))).toBe('$mod+KeyK #3');
});

test('a question mark matches with and without Shift', () => {
  expect(run(press('?', 'Shift'))).toBe('[Shift]+? #4');
  expect(run(press('?'))).toBe('[Shift]+? #4');
});

test('of two equal shortcuts the last registered runs', () => {
  expect(run(press('j'))).toBe('j #6');
});

test('an answer takes precedence over other shortcuts of its key, in any order', () => {
  const [before, answer, after] = ['n', 'n', 'n'].map((keys, number) => ({
    presses: parseKeybinding(keys),
    isAnswer: number === 1,
  }));
  if (before === undefined || answer === undefined || after === undefined) throw new Error('three were made');
  expect(matchShortcut([before, answer, after], [press('n')])).toBe(answer);
  expect(matchShortcut([before, after], [press('n')])).toBe(after);
});

test('an answer ignores keys that are held down or continue another shortcut', () => {
  const ran = { shortcut: 'next session', key: 'n', at: 5_000 };
  const pressed = (key: string, timeStamp: number, repeat = false) => ({ key, timeStamp, repeat });
  expect(isContinuation(ran, 'answer', pressed('n', 5_000 + SEQUENCE_MS))).toBe(true);
  expect(isContinuation(ran, 'answer', pressed('n', 5_001 + SEQUENCE_MS))).toBe(false);
  expect(isContinuation(ran, 'answer', pressed('y', 5_001))).toBe(false);
  expect(isContinuation({ ...ran, shortcut: 'answer' }, 'answer', pressed('n', 5_001))).toBe(false);
  expect(isContinuation(undefined, 'answer', pressed('n', 0))).toBe(false);
  expect(isContinuation(undefined, 'answer', pressed('n', 0, true))).toBe(true);
});

import { expect, test } from 'vitest';
import { undone } from '../../src/features/inbox/undone.ts';

test('a refused change is undone without undoing what changed meanwhile', () => {
  const before = { a: '1', b: '2', c: '3' };
  // The change to undo has set `a`, `b` and `d` to 9. Afterwards, another change has set `b` and `c`.
  const now = { a: '9', b: '5', c: '6', d: '9' };
  expect(undone(now, before, ['a', 'b', 'd'], '9')).toEqual({ a: '1', b: '5', c: '6' });
});

test('entries that a refused change removed are back', () => {
  expect(undone({ b: '2' }, { a: '1' }, ['a'], undefined)).toEqual({ a: '1', b: '2' });
});

import { expect, test } from 'vitest';
import { matchesIn, positionAt, turnsIn } from '../../src/features/conversation/find.ts';
import { stopAround, WINDOW_ROWS, windowAt } from '../../src/features/conversation/row-window.ts';
import type { Row } from '../../src/features/conversation/rows.ts';

const rows = [
  { kind: 'prompt', id: '1', text: 'Fix the Total' },
  { kind: 'text', id: '2', text: 'I look at total.ts' },
  { kind: 'tool', id: '3', message: { parts: [{ title: 'Read total.ts' }] } },
  { kind: 'notices', id: '4', text: 'A child is done' },
  { kind: 'plan', id: '5', steps: [{ text: 'Rename the totals', status: 'pending' }] },
  { kind: 'end', id: '6', task: { error: { message: 'TOTAL failure' } } },
] as unknown as Row[];

test('finds a text in every kind of row, ignoring case', () => {
  expect(matchesIn(rows, ' total ')).toEqual([0, 1, 2, 4, 5]);
  expect(matchesIn(rows, 'nothing')).toEqual([]);
  expect(matchesIn(rows, ' ')).toEqual([]);
});

test('turns begin with a prompt or notices', () => {
  expect(turnsIn(rows)).toEqual([0, 3]);
});

test.each([
  [-1, -1],
  [0, 0],
  [2, 0],
  [3, 1],
  [9, 1],
])('row %d is in turn %d', (row, position) => {
  expect(positionAt([0, 3], row)).toBe(position);
});

test('the list contains a part of a long conversation', () => {
  expect(windowAt(10, undefined)).toEqual({ start: 0, stop: 10 });
  expect(windowAt(100_000, undefined)).toEqual({ start: 100_000 - WINDOW_ROWS, stop: 100_000 });
  for (const index of [0, 10, 50_000, 99_999]) {
    const { start, stop } = windowAt(100_000, stopAround(100_000, index));
    expect(stop - start).toBe(WINDOW_ROWS);
    expect(index >= start && index < stop).toBe(true);
  }
});

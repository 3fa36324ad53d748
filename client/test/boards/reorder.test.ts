import { expect, test } from 'vitest';
import { reordered } from '../../src/features/boards/reorder.ts';

const column = [
  { id: 'a', x: 0, y: 10 },
  { id: 'b', x: 5, y: 20 },
  { id: 'c', x: 0, y: 30 },
];

test('a card changes places with its neighbour, and others stay', () => {
  expect(reordered(column, 0, 1)).toEqual([
    { id: 'b', x: 5, y: 10 },
    { id: 'a', x: 0, y: 20 },
  ]);
  expect(reordered(column, 2, -1).map(({ id }) => id)).toEqual(['c', 'b']);
});

test('the first card does not move up, and the last one not down', () => {
  expect(reordered(column, 0, -1)).toEqual([]);
  expect(reordered(column, 2, 1)).toEqual([]);
});

test('cards without a place, or at the same height, get places in their new order', () => {
  const same = [
    { id: 'a', x: 0, y: 10 },
    { id: 'b', x: 0, y: 10 },
    { id: 'c', x: null, y: null },
  ];
  const moved = reordered(same, 2, -1);
  const places = new Map(same.map(({ id, y }) => [id, y ?? Number.MAX_SAFE_INTEGER]));
  for (const { id, y } of moved) places.set(id, y);
  expect([...places].sort((one, other) => one[1] - other[1]).map(([id]) => id)).toEqual(['a', 'c', 'b']);
});

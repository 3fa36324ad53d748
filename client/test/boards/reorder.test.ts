import { expect, test } from 'vitest';
import { inserted, reordered } from '../../src/features/boards/reorder.ts';

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

const top = { x: 24, y: 24 };

test('a card dropped between two others gets a place between them, and others stay', () => {
  expect(inserted(column, 1, 'new', top)).toEqual([{ id: 'new', x: 24, y: 15 }]);
});

test('a card dropped at an end of a column gets a place above or below all others', () => {
  expect(inserted(column, 0, 'new', top)).toEqual([{ id: 'new', x: 24, y: -90 }]);
  expect(inserted(column, 3, 'new', top)).toEqual([{ id: 'new', x: 24, y: 130 }]);
  expect(inserted([], 0, 'new', top)).toEqual([{ id: 'new', ...top }]);
});

test('cards without a place, or at the same height, make room for a dropped card', () => {
  const same = [
    { id: 'a', x: 0, y: 10 },
    { id: 'b', x: 0, y: 10 },
    { id: 'c', x: null, y: null },
  ];
  const places = new Map(same.map(({ id, y }) => [id, y ?? Number.MAX_SAFE_INTEGER]));
  for (const { id, y } of inserted(same, 1, 'new', top)) places.set(id, y);
  expect([...places].sort((one, other) => one[1] - other[1]).map(([id]) => id)).toEqual(['a', 'new', 'b', 'c']);
});

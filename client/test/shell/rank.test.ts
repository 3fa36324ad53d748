import { expect, test } from 'vitest';
import { rank } from '../../src/shell/palette/rank.ts';

test('every word must match', () => {
  expect(rank('checkout shop', 'checkout flow', 'shop ac/checkout')).toBeGreaterThan(0);
  expect(rank('checkout blog', 'checkout flow', 'shop ac/checkout')).toBe(0);
});

test('a prefix ranks above an infix, and that above scattered letters', () => {
  const order = ['flow of checkout', 'overflow', 'first low tide'].map((title) => rank('flow', title));
  expect(order).toEqual(order.toSorted((a, b) => b - a));
  expect(new Set(order).size).toBe(3);
});

test('the title counts more than keywords', () => {
  expect(rank('shop', 'shop upgrade')).toBeGreaterThan(rank('shop', 'upgrade', 'shop'));
});

test('scattered letters only match in the title', () => {
  expect(rank('ckf', 'checkout flow')).toBeGreaterThan(0);
  expect(rank('ckf', 'upgrade', 'checkout flow')).toBe(0);
});

test('an empty query matches everything equally', () => {
  expect(rank('  ', 'anything')).toBe(rank('', 'something else'));
});

import { expect, test } from 'vitest';
import { rank } from '../../src/shell/palette/rank.ts';

test('every word must be found somewhere', () => {
  expect(rank('checkout shop', 'checkout flow', 'shop ac/checkout')).toBeGreaterThan(0);
  expect(rank('checkout blog', 'checkout flow', 'shop ac/checkout')).toBe(0);
});

test('a beginning is better than a middle, and that than letters with gaps', () => {
  const order = ['flow of checkout', 'overflow', 'first low tide'].map((title) => rank('flow', title));
  expect(order).toEqual(order.toSorted((a, b) => b - a));
  expect(new Set(order).size).toBe(3);
});

test('the title counts more than what stands beside it', () => {
  expect(rank('shop', 'shop upgrade')).toBeGreaterThan(rank('shop', 'upgrade', 'shop'));
});

test('letters with gaps are looked for in the title only', () => {
  expect(rank('ckf', 'checkout flow')).toBeGreaterThan(0);
  expect(rank('ckf', 'upgrade', 'checkout flow')).toBe(0);
});

test('nothing typed finds everything alike', () => {
  expect(rank('  ', 'anything')).toBe(rank('', 'something else'));
});

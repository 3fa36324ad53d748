import { expect, test } from 'vitest';
import { parsePairs } from '../../src/features/settings/pairs.ts';

test('lines become names and values, and a name alone removes its value', () => {
  expect(parsePairs('A=1\n\nB = two = 2\nC\nD=')).toEqual({ A: '1', B: ' two = 2', C: null, D: null });
  expect(parsePairs(' \n')).toBeUndefined();
});

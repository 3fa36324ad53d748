import { expect, test } from 'vitest';
import { unsentPart } from '../../src/ui/use-draft.ts';

test('what was typed while a text was being sent is not part of that text', () => {
  expect(unsentPart('Fix the tests', 'Fix the tests')).toBe('');
  expect(unsentPart('Fix the tests\nThen the docs', 'Fix the tests')).toBe('Then the docs');
  expect(unsentPart('Another prompt', 'Fix the tests')).toBe('Another prompt');
});

import { expect, test } from 'vitest';
import { keyOfAttempt } from '../../src/features/sessions/prompt/drafts.ts';

test('a prompt is repeated with the key of the last attempt only if text and images are the same', () => {
  const last = { text: 'Look', images: ['a', 'b'], key: 'k1' };
  expect(keyOfAttempt(last, 'Look', ['a', 'b'])).toBe('k1');
  expect(keyOfAttempt(last, 'Look', ['a', 'b', 'c'])).not.toBe('k1');
  expect(keyOfAttempt(last, 'Look', [])).not.toBe('k1');
  expect(keyOfAttempt(last, 'Look again', ['a', 'b'])).not.toBe('k1');
  expect(keyOfAttempt(undefined, 'Look', [])).not.toBe(keyOfAttempt(undefined, 'Look', []));
});

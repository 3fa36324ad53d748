import { expect, it } from 'vitest';
import { canCancel } from '../../src/features/sessions/prompt/can-cancel.ts';

it.each([
  ['paused', 'prompt', true],
  ['paused', 'notice', false],
  ['running', 'notice', false],
  ['stopped', 'notice', true],
  ['completed', 'notice', true],
] as const)('of a session that is %s: whether a queued %s can be cancelled is %s', (status, kind, isOffered) => {
  expect(canCancel({ kind }, status)).toBe(isOffered);
});

import { expect, it } from 'vitest';
import { isOwnPrompt } from '../../src/features/sessions/own-prompt.ts';

it.each([
  ['session', 'own', true],
  ['session', 'another', false],
  ['session', null, false],
  ['person', null, false],
] as const)('whether a prompt by a %s with id %s is of the session itself: %s', (kind, id, isOwn) => {
  expect(isOwnPrompt({ sessionId: 'own', source: { kind, id } })).toBe(isOwn);
});

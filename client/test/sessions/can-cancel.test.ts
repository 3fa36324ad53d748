import { expect, it } from 'vitest';
import { canCancel } from '../../src/features/sessions/prompt/can-cancel.ts';

it.each([
  [{ status: 'paused', pausedBy: 'idle' }, 'prompt', true],
  [{ status: 'paused', pausedBy: 'idle' }, 'notice', false],
  [{ status: 'paused', pausedBy: 'person' }, 'notice', true],
  [{ status: 'paused', pausedBy: 'session' }, 'notice', true],
  [{ status: 'paused', pausedBy: 'budget' }, 'notice', true],
  [{ status: 'running', pausedBy: 'budget' }, 'notice', true],
  [{ status: 'running' }, 'notice', false],
  [{ status: 'stopped' }, 'notice', true],
  [{ status: 'completed' }, 'notice', true],
] as const)('of a session with %j: whether a queued %s can be cancelled is %s', (session, kind, isOffered) => {
  expect(canCancel({ kind }, session)).toBe(isOffered);
});

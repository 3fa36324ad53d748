import { describe, expect, it } from 'vitest';
import { attemptEnd, type EndedTask } from '../../../src/domain/orchestration/outcome.ts';

const task = (fields: Partial<EndedTask> & Pick<EndedTask, 'status'>): EndedTask => ({
  outcomeSource: 'report',
  certain: true,
  summary: null,
  error: null,
  exitCode: null,
  ...fields,
});
const ONLY = { attempt: 1, maxAttempts: 1 };
const POLICY = { acceptUnreported: false, onInterrupted: 'resume' } as const;
const LOST = { code: 'RUNNER_UNAVAILABLE', message: 'The runner stopped.' };
const lost = task({ status: 'interrupted', outcomeSource: 'system', error: LOST });

describe('the end of a task', () => {
  it.each<[string, EndedTask, Partial<ReturnType<typeof attemptEnd>>]>([
    ['a report of success', task({ status: 'completed' }), { state: 'completed', reason: null, exitCode: null }],
    [
      'exit 0',
      task({ status: 'completed', outcomeSource: 'exit', exitCode: 0 }),
      { state: 'completed', exitCode: 0, errorMessage: null },
    ],
    [
      'another exit',
      task({ status: 'failed', outcomeSource: 'exit', exitCode: 3, error: { code: 'X', message: 'exited with 3' } }),
      { state: 'failed', reason: 'exited', exitCode: 3, errorMessage: 'exited with 3' },
    ],
    [
      'a report of failure',
      task({ status: 'failed', summary: 'no disk' }),
      { state: 'failed', reason: 'reported', errorMessage: 'no disk', exitCode: null },
    ],
    [
      'a time limit',
      task({ status: 'failed', outcomeSource: 'system', error: { code: 'TIMEOUT', message: 'too slow' } }),
      { state: 'failed', reason: 'timeout', errorMessage: 'too slow' },
    ],
    [
      'a failed start',
      task({ status: 'failed', outcomeSource: 'system', error: { code: 'GIT_FAILED', message: 'no base' } }),
      { state: 'failed', reason: 'error', errorMessage: 'no base' },
    ],
    [
      'no report',
      task({ status: 'completed', outcomeSource: 'hook', certain: false }),
      { state: 'failed', reason: 'unreported', errorMessage: 'The agent ended without reporting a result.' },
    ],
    [
      'a cancellation',
      task({ status: 'cancelled', outcomeSource: 'person', exitCode: 143 }),
      { state: 'cancelled', reason: null, errorMessage: null, exitCode: 143 },
    ],
    ['a lost process', lost, { state: 'interrupted', reason: 'server_restart', exitCode: null, errorMessage: null }],
    [
      'a pause of the session',
      task({ status: 'interrupted', outcomeSource: 'person' }),
      { state: 'interrupted', reason: 'session_paused' },
    ],
  ])('by %s', (_, ended, expected) => {
    expect(attemptEnd(ended, ONLY, POLICY)).toMatchObject({ ...expected, retry: false });
  });

  it('without a report is a success if that is accepted', () => {
    const ended = task({ status: 'completed', outcomeSource: 'title', certain: false });
    expect(attemptEnd(ended, ONLY, { ...POLICY, acceptUnreported: true }).state).toBe('completed');
  });
});

describe('another attempt', () => {
  it.each([
    ['a failure with attempts left', task({ status: 'failed' }), 1, true],
    ['a failure of the last attempt', task({ status: 'failed' }), 2, false],
    ['a missing report', task({ status: 'completed', certain: false }), 1, true],
    ['a cancellation', task({ status: 'cancelled' }), 1, false],
    ['success', task({ status: 'completed' }), 1, false],
  ])('after %s', (_, ended, attempt, retry) => {
    expect(attemptEnd(ended, { attempt, maxAttempts: 2 }, POLICY).retry).toBe(retry);
  });
});

describe('a lost process', () => {
  it.each([
    ['resume', 1, 'interrupted', false],
    ['resume', 10, 'interrupted', false],
    ['rerun', 1, 'interrupted', true],
    ['rerun', 10, 'failed', false],
    ['fail', 1, 'failed', false],
  ] as const)('with the policy %s in attempt %d: %s', (onInterrupted, attempt, state, retry) => {
    const end = attemptEnd(lost, { attempt, maxAttempts: 1 }, { ...POLICY, onInterrupted });
    expect(end).toMatchObject({ state, retry, reason: 'server_restart', exitCode: null });
  });
  it.each([
    ['resume', 1, 'interrupted', true],
    ['resume', 10, 'failed', false],
    ['rerun', 1, 'interrupted', true],
    ['fail', 1, 'failed', false],
  ] as const)('during the start, with the policy %s in attempt %d: %s', (onInterrupted, attempt, state, retry) => {
    const failed = task({ status: 'failed', outcomeSource: 'system', error: LOST });
    const end = attemptEnd(failed, { attempt, maxAttempts: 1 }, { ...POLICY, onInterrupted });
    expect(end).toMatchObject({ state, retry, reason: 'server_restart' });
  });
  it('that counts as a failure is tried again while attempts are left', () => {
    expect(attemptEnd(lost, { attempt: 1, maxAttempts: 2 }, { ...POLICY, onInterrupted: 'fail' }).retry).toBe(true);
  });
});

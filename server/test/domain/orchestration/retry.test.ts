import { describe, expect, it } from 'vitest';
import { agentsToRetry } from '../../../src/domain/orchestration/retry.ts';
import { agents, orchestration } from './support.ts';

const SKIPPED = { reason: 'upstream_failed' };
const FAIL_FAST = { reason: 'fail_fast' };

describe('the retry of an agent', () => {
  it.each(['failed', 'cancelled', 'interrupted'])('is possible when it is %s', (state) => {
    expect(agentsToRetry(orchestration('parallel'), agents(`a ${state}\nb failed`), 'a')).toEqual(['a']);
  });
  it.each(['pending', 'running', 'paused', 'completed', 'skipped'])('is refused when it is %s', (state) => {
    expect(() => agentsToRetry(orchestration('parallel'), agents(`a ${state}`), 'a')).toThrow(
      expect.objectContaining({ code: 'CONFLICT', details: { agentId: 'a', state } }),
    );
  });
  it('is refused for an unknown agent', () => {
    expect(() => agentsToRetry(orchestration('parallel'), [], 'a')).toThrow('Agent a not found');
  });

  it('includes the agents that were skipped because of it and of nothing else', () => {
    const lines = 'a failed\nx failed\nb skipped <- a\nc skipped <- b\nd skipped <- c x\ne skipped <- x\nf completed';
    const all = agents(lines, { b: SKIPPED, c: SKIPPED, d: SKIPPED, e: SKIPPED });
    expect(agentsToRetry(orchestration('adaptive', { state: 'failed' }), all, 'a')).toEqual(['a', 'b', 'c']);
  });
  it('includes later stages only in a pipeline', () => {
    const all = agents('a failed @0\nb skipped @1\nc failed @2', { b: SKIPPED });
    expect(agentsToRetry(orchestration('pipeline'), all, 'a')).toEqual(['a', 'b']);
    const independent = agents('a failed @0\nx failed @0\nb skipped @1 <- x', { b: SKIPPED });
    expect(agentsToRetry(orchestration('adaptive'), independent, 'a')).toEqual(['a']);
  });
  it.each([
    ['adaptive', 'x failed\na failed\nb skipped <- a\nc failed <- b', 'a'],
    ['adaptive', 'x cancelled\na cancelled\nb failed! \nc failed <- a b', 'a'],
    ['pipeline', 'a failed @0\nb cancelled @0\nc failed @1\nx failed @1\ny failed @2', 'a, b'],
  ] as const)('is refused by naming only the agents that block it (%s, %s)', (strategy, lines, blockers) => {
    expect(() => agentsToRetry(orchestration(strategy), agents(lines, { b: SKIPPED }), 'c')).toThrow(
      `Agent c cannot run before these agents are retried: ${blockers}.`,
    );
  });
  it('includes everything that fail_fast ended', () => {
    const all = agents('a failed\nb skipped <- a\nc cancelled\nd skipped\ne failed\nf cancelled\ng completed', {
      b: SKIPPED,
      c: FAIL_FAST,
      d: FAIL_FAST,
    });
    const failFast = orchestration('adaptive', { onFailure: 'fail_fast' });
    expect(agentsToRetry(failFast, all, 'a')).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(() => agentsToRetry(failFast, all, 'c')).toThrow(
      'Agent c cannot run before these agents are retried: a, e.',
    );
  });
  it.each([
    ['x cancelled\na failed\nc cancelled <- x', { x: FAIL_FAST, c: FAIL_FAST }, 'a'],
    ['x cancelled\na failed\nc cancelled <- x', { c: FAIL_FAST }, 'a, x'],
    ['x cancelled\nc cancelled <- x', { c: FAIL_FAST }, 'x'],
  ])(
    'is refused by naming first the failed agents that fail_fast ended the run for (%s, %j)',
    (lines, reasons, blockers) => {
      expect(() =>
        agentsToRetry(orchestration('adaptive', { onFailure: 'fail_fast' }), agents(lines, reasons), 'c'),
      ).toThrow(`Agent c cannot run before these agents are retried: ${blockers}.`);
    },
  );
});

import { describe, expect, it } from 'vitest';
import {
  estimateEnd,
  progressOf,
  roleDistribution,
  type TimedAgent,
} from '../../../src/domain/orchestration/progress.ts';
import { agents } from './support.ts';

describe('the distribution of roles', () => {
  it('counts each state by the role itself', () => {
    const all = agents('a running\nb failed\nc skipped\nd paused', {
      a: { role: 'data_scientist' },
      b: { role: 'data_scientist' },
      c: { role: 'constructor' },
    });
    const none = {
      pending: 0,
      running: 0,
      paused: 0,
      interrupted: 0,
      completed: 0,
      failed: 0,
      cancelled: 0,
      skipped: 0,
    };
    expect(roleDistribution(all)).toEqual({
      data_scientist: { ...none, total: 2, running: 1, failed: 1 },
      constructor: { ...none, total: 1, skipped: 1 },
      worker: { ...none, total: 1, paused: 1 },
    });
  });
});

describe('progress', () => {
  const at = (...states: [Parameters<typeof progressOf>[0][number]['state'], number?][]) =>
    states.map(([state, progress]) => ({ state, progress: progress ?? null }));
  it.each([
    [1, at(), 0],
    [0, at(['pending'], ['running']), 0],
    [0.25, at(['completed'], ['pending'], ['running'], ['paused']), 0],
    [1, at(['completed'], ['failed'], ['cancelled'], ['skipped']), 0],
    [0.75, at(['completed'], ['running', 0.5]), 0],
    [0.5, at(['completed'], ['pending', 0.9]), 0],
    [0.8, at(['completed'], ['pending']), 0.8],
  ])('is %d', (expected, states, floor) => {
    expect(progressOf(states, floor)).toBe(expected);
  });
});

describe('the estimated end', () => {
  const now = new Date('2026-01-01T00:10:00.000Z');
  const finished = (agentId: string, minutes: number): TimedAgent => ({
    agentId,
    state: 'completed',
    dependencies: [],
    stage: 0,
    startedAt: '2026-01-01T00:00:00.000Z',
    completedAt: new Date(Date.parse('2026-01-01T00:00:00.000Z') + minutes * 60_000).toISOString(),
  });
  const open = (agentId: string, dependencies: string[] = []): TimedAgent => ({
    ...finished(agentId, 0),
    state: 'pending',
    dependencies,
    startedAt: null,
    completedAt: null,
  });
  const running = { state: 'running', strategy: 'adaptive', maxConcurrent: null } as const;

  it('is now plus the mean duration for each remaining wave', () => {
    const all = [finished('a', 2), finished('b', 4), open('c', ['a']), open('d', ['b']), open('e', ['c', 'd'])];
    expect(estimateEnd(running, all, now)).toBe('2026-01-01T00:16:00.000Z');
  });
  it('counts a wave larger than maxConcurrent several times', () => {
    const all = [finished('a', 1), open('b'), open('c'), open('d')];
    expect(estimateEnd({ ...running, maxConcurrent: 2 }, all, now)).toBe('2026-01-01T00:12:00.000Z');
  });
  it('is later than now', () => {
    expect(estimateEnd(running, [finished('a', 0), open('b')], now)).toBe('2026-01-01T00:10:01.000Z');
  });
  it.each(['created', 'paused', 'completed', 'failed', 'cancelled'] as const)('is null when %s', (state) => {
    expect(estimateEnd({ ...running, state }, [finished('a', 1), open('b')], now)).toBeNull();
  });
  it('is null before the first agent has finished', () => {
    expect(estimateEnd(running, [{ ...finished('a', 1), state: 'skipped' }, open('b')], now)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { describeChanges } from '../../src/features/runs/announcements.ts';
import { criticalPath } from '../../src/features/runs/critical-path.ts';
import { elapsedMs, formatDuration, formatTokens } from '../../src/features/runs/durations.ts';
import { blockersOf, describeAgent } from '../../src/features/runs/waiting.ts';
import { at, ended, run, runAgent, START } from './fixtures.ts';

describe('the critical path', () => {
  const now = START + 100_000;

  it('is the chain that took longest', () => {
    const agents = [
      ended('a', 0, 10),
      ended('slow', 10, 60, { dependencies: ['a'] }),
      ended('fast', 10, 20, { dependencies: ['a'] }),
      runAgent('d', { dependencies: ['fast', 'slow'] }),
    ];
    expect(criticalPath('adaptive', agents, now)).toEqual(['a', 'slow', 'd']);
  });

  it('counts the time that a running agent has taken so far', () => {
    const agents = [
      ended('a', 0, 10),
      runAgent('b', { dependencies: ['a'], state: 'running', startedAt: at(10) }),
      runAgent('c', { dependencies: ['a'] }),
    ];
    expect(criticalPath('adaptive', agents, now)).toEqual(['a', 'b']);
  });

  it('is the longest chain before anything has run', () => {
    const agents = [runAgent('x'), runAgent('a'), runAgent('b', { dependencies: ['a'] })];
    expect(criticalPath('adaptive', agents, now)).toEqual(['a', 'b']);
  });

  it('goes through the slowest agent of each stage, and through all of a sequence', () => {
    const stages = [ended('a', 0, 5), ended('b', 0, 9), runAgent('c', { stage: 1 })];
    expect(criticalPath('pipeline', stages, now)).toEqual(['b', 'c']);
    expect(criticalPath('sequential', [runAgent('a'), runAgent('b'), runAgent('c')], now)).toEqual(['a', 'b', 'c']);
  });

  it('is empty if no agent waits for another', () => {
    expect(criticalPath('parallel', [ended('a', 0, 9), runAgent('b')], now)).toEqual([]);
    expect(criticalPath('adaptive', [ended('a', 0, 9), runAgent('b')], now)).toEqual([]);
    expect(criticalPath('adaptive', [], now)).toEqual([]);
  });
});

describe('what an agent waits for', () => {
  const done = ended('a', 0, 1);
  const failed = runAgent('f', { state: 'failed', allowFailure: true });

  it('is the agents that have not completed', () => {
    const waiting = runAgent('d', { dependencies: ['a', 'b', 'f'] });
    expect(blockersOf(waiting, run([done, runAgent('b'), failed, waiting]))).toEqual(['b']);
  });

  it('is the agent before it in a sequence, and the stages before its own in a pipeline', () => {
    const last = runAgent('z', { stage: 2 });
    const agents = [done, runAgent('b', { stage: 1 }), last];
    expect(blockersOf(last, run(agents, { strategy: 'sequential' }))).toEqual(['b']);
    expect(blockersOf(last, run(agents, { strategy: 'pipeline' }))).toEqual(['b']);
    expect(blockersOf(last, run(agents, { strategy: 'parallel' }))).toEqual([]);
  });

  it('is described by a few names, or by the reason that the console gives', () => {
    const waiting = runAgent('e', { dependencies: ['b', 'c', 'd'] });
    const agents = [runAgent('b'), runAgent('c'), runAgent('d'), waiting];
    expect(describeAgent(waiting, run(agents))).toBe('Waits for b, c and 1 more');
    const limited = runAgent('x', { reason: 'another agent already runs (limit maxConcurrent)' });
    expect(describeAgent(limited, run([limited]))).toBe('Another agent already runs (limit maxConcurrent)');
    const skipped = runAgent('s', { state: 'skipped', reason: 'upstream_failed' });
    expect(describeAgent(skipped, run([skipped]))).toBe('This agent depends on an agent that failed');
  });
});

it('announces which agents changed, and the end of the run', () => {
  const before = run([runAgent('a'), runAgent('b')]);
  const after = run([ended('a', 0, 1), runAgent('b', { state: 'running' })], { state: 'completed' });
  expect(describeChanges(before, after)).toBe('a completed. b running. Run completed');
  expect(describeChanges(after, after)).toBe('');
  const many = ['a', 'b', 'c', 'd'];
  expect(describeChanges(run(many.map((id) => runAgent(id))), run(many.map((id) => ended(id, 0, 1))))).toBe(
    '4 agents completed',
  );
});

it('formats durations and tokens', () => {
  expect([0, 59_999, 60_000, 190_000, 7_500_000, 90_000_000].map(formatDuration)).toEqual([
    '0 s',
    '59 s',
    '1 m',
    '3 m 10 s',
    '2 h 5 m',
    '1 d 1 h',
  ]);
  expect([950, 12_345, 100_000, 999_999, 1_250_000].map(formatTokens)).toEqual(['950', '12.3k', '100k', '1M', '1.3M']);
  expect(elapsedMs({ startedAt: null, completedAt: null }, START)).toBeUndefined();
  expect(elapsedMs({ startedAt: at(0), completedAt: null }, START + 5_000)).toBe(5_000);
});

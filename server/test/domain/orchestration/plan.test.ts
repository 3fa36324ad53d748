import { describe, expect, it } from 'vitest';
import { planAgents, wavesOf } from '../../../src/domain/orchestration/plan.ts';
import { spec } from './support.ts';

const names = (...args: Parameters<typeof planAgents>) => planAgents(...args).map((agent) => agent.agentId);
const problem = (...args: Parameters<typeof planAgents>) => {
  try {
    planAgents(...args);
    return null;
  } catch (error) {
    return error;
  }
};
const named = (agentId: string, dependencies: string[] = [], stage = 0) => spec({ agentId, dependencies, stage });

describe('names of agents', () => {
  it('are chosen by the caller, or made of role and suffix or the lowest free number', () => {
    const specs = [
      spec({ role: 'data_scientist' }),
      spec({ role: 'data_scientist' }),
      spec({ role: 'reviewer', suffix: 'security' }),
      spec({ role: 'data_scientist', agentId: 'data_scientist-1' }),
      spec({ role: 'reviewer', agentId: 'rita' }),
    ];
    const expected = ['data_scientist-2', 'data_scientist-3', 'reviewer-security', 'data_scientist-1', 'rita'];
    expect(names('parallel', specs)).toEqual(expected);
  });
  it('continue after those of the agents that exist', () => {
    const existing = planAgents('adaptive', [spec({ role: 'tester' }), spec({ role: 'tester' })]);
    expect(names('adaptive', [spec({ role: 'tester', dependencies: ['tester-1'] })], existing)).toEqual(['tester-3']);
  });
  it.each([
    ['given twice', [named('a'), named('a')], 'agents[1].agentId'],
    ['made twice', [spec({ suffix: 'x' }), spec({ suffix: 'x' })], 'agents[1].agentId'],
    ['given after it was made', [spec({ suffix: 'x' }), named('worker-x')], 'agents[1].agentId'],
  ])('are refused when %s', (_, specs, field) => {
    expect(problem('parallel', specs)).toMatchObject({ code: 'CONFLICT', details: { field } });
  });
  it('are refused when an existing agent has the name', () => {
    const existing = planAgents('parallel', [named('a')]);
    expect(problem('parallel', [named('a')], existing)).toMatchObject({
      code: 'CONFLICT',
      message: 'agents[0].agentId: another agent is already called a; agent names must be unique',
    });
  });
  it('must be chosen if the default name would be too long', () => {
    expect(problem('parallel', [spec({ role: 'r'.repeat(64) })])).toMatchObject({
      code: 'VALIDATION',
      details: { field: 'agents[0].agentId' },
    });
  });
});

describe('a plan', () => {
  it('contains each dependency once and all fields', () => {
    expect(
      planAgents('adaptive', [named('a'), spec({ agentId: 'b', dependencies: ['a', 'a'], suffix: 's' })])[1],
    ).toEqual({
      agentId: 'b',
      role: 'worker',
      suffix: 's',
      task: 'Do it',
      dependencies: ['a'],
      agenticTool: null,
      permissionMode: null,
      stage: 0,
      allowFailure: false,
      maxAttempts: 1,
      timeoutSeconds: 3_600,
    });
  });
  it.each([
    ['adaptive', [named('a', ['x'])], 'agents[0].dependencies: a depends on x, which is not an agent of this plan'],
    ['adaptive', [named('b'), named('a', ['a'])], 'agents[1].dependencies: a depends on itself'],
    [
      'sequential',
      [named('z', ['a']), named('b', ['a']), named('a', ['c']), named('c', ['b'])],
      'agents[1].dependencies: the agents depend on each other in a cycle: b → a → c → b; remove one of these dependencies',
    ],
    [
      'parallel',
      [named('a'), named('b', ['a'])],
      'agents[1].dependencies: b has dependencies, but the strategy parallel starts all agents at once; use the strategy adaptive to run agents in the order of their dependencies',
    ],
    [
      'pipeline',
      [named('a', ['b'], 1), named('b', [], 2)],
      'agents[0].dependencies: a (stage 1) depends on b, which is in the later stage 2',
    ],
  ] as const)('is refused under %s with the reason', (strategy, specs, message) => {
    expect(problem(strategy, specs)).toMatchObject({ code: 'VALIDATION', message });
  });
  it('accepts 1 000 agents in a chain, given in reverse', () => {
    const specs = Array.from({ length: 1_000 }, (_, at) => named(`a${at}`, at === 999 ? [] : [`a${at + 1}`]));
    expect(wavesOf('adaptive', planAgents('adaptive', specs))).toHaveLength(1_000);
    expect(wavesOf('sequential', planAgents('sequential', specs))[0]).toEqual(['a999']);
  });
});

describe('waves', () => {
  const diamond = [named('d', ['b', 'c'], 1), named('b', ['a']), named('a'), named('c', ['a'])];
  it.each([
    ['parallel', [named('a'), named('b')], [['a', 'b']]],
    ['adaptive', diamond, [['a'], ['b', 'c'], ['d']]],
    ['sequential', diamond, [['a'], ['b'], ['c'], ['d']]],
    ['pipeline', [named('c', [], 5), named('a'), named('b', ['a'])], [['a'], ['b'], ['c']]],
    ['adaptive', [], []],
  ] as const)('of %s', (strategy, specs, waves) => {
    expect(wavesOf(strategy, planAgents(strategy, specs))).toEqual(waves);
  });
});

import type { Budget, BudgetUse } from '@agent-console/shared/models/budget';
import { describe, expect, it } from 'vitest';
import {
  describeUse,
  exhausted,
  nearlyUsed,
  outsidePauses,
  raised,
  secondsCovered,
  untilWallThreshold,
  usedUp,
} from '../../src/domain/budget.ts';

const use = (part: Partial<BudgetUse>): BudgetUse => ({
  wallSeconds: 0,
  agents: 0,
  tokens: 0,
  cachedTokens: 0,
  money: null,
  ...part,
});

describe('a budget', () => {
  it.each<[Budget, Partial<BudgetUse>, { up: string[]; ends: string[]; near: string[] }]>([
    [{}, { tokens: 1e9, agents: 1e3, wallSeconds: 1e6 }, { up: [], ends: [], near: [] }],
    [{ tokens: 100 }, { tokens: 79 }, { up: [], ends: [], near: [] }],
    [{ tokens: 100 }, { tokens: 80 }, { up: [], ends: [], near: ['tokens'] }],
    [{ tokens: 100 }, { tokens: 100 }, { up: ['tokens'], ends: ['tokens'], near: ['tokens'] }],
    [{ tokens: 100 }, { cachedTokens: 5_000 }, { up: [], ends: [], near: [] }],
    [{ agents: 2 }, { agents: 2 }, { up: ['agents'], ends: [], near: ['agents'] }],
    [{ money: 1 }, { money: null }, { up: [], ends: [], near: [] }],
    [{ money: 1 }, { money: 1.2 }, { up: ['money'], ends: ['money'], near: ['money'] }],
    [
      { wallSeconds: 10, tokens: 5 },
      { wallSeconds: 11, tokens: 1 },
      { up: ['wallSeconds'], ends: ['wallSeconds'], near: ['wallSeconds'] },
    ],
  ])('%j of which %j is used', (budget, used, { up, ends, near }) => {
    expect(usedUp(budget, use(used))).toEqual(up);
    expect(exhausted(budget, use(used))).toEqual(ends);
    expect(nearlyUsed(budget, use(used), [])).toEqual(near);
  });

  it('is reported as nearly used once per limit', () => {
    expect(nearlyUsed({ tokens: 10, agents: 1 }, use({ tokens: 9, agents: 1 }), ['tokens'])).toEqual(['agents']);
  });

  it('is raised from the used amount, only for limits that it has', () => {
    const { budget, limits } = raised({ tokens: 100, agents: 2 }, use({ tokens: 250 }), { tokens: 50, money: 3 });
    expect(budget).toEqual({ tokens: 300, agents: 2 });
    expect(limits).toEqual(['tokens']);
    expect(raised({ money: 1 }, use({ money: 0.5 }), { money: 0.25 }).budget).toEqual({ money: 1.25 });
  });

  it.each([
    [{ wallSeconds: 100 }, 10, 70_000],
    [{ wallSeconds: 100 }, 80, 20_000],
    [{ wallSeconds: 100 }, 100, null],
    [{ tokens: 1 }, 10, null],
    [null, 10, null],
  ])('%j after %d s is checked again after %s ms', (budget, wallSeconds, wait) => {
    expect(untilWallThreshold(budget, use({ wallSeconds }))).toBe(wait);
  });

  it('counts time during which several tasks run once', () => {
    const spans = [
      { from: 5_000, to: 6_000 },
      { from: 0, to: 2_000 },
      { from: 1_000, to: 3_000 },
      { from: 1_500, to: 1_600 },
    ];
    expect(secondsCovered(spans)).toBe(4);
    expect(secondsCovered([])).toBe(0);
  });

  it.each([
    [[], [[10, 20]]],
    [[[0, 10]], [[10, 20]]],
    [
      [[12, 14]],
      [
        [10, 12],
        [14, 20],
      ],
    ],
    [
      [
        [5, 12],
        [14, 25],
      ],
      [[12, 14]],
    ],
    [[[5, 25]], []],
    [[[20, 30]], [[10, 20]]],
  ] as [number[][], number[][]][])('leaves out the pauses %j', (pauses, left) => {
    const spanOf = ([from = 0, to = 0]: number[]) => ({ from, to });
    expect(outsidePauses({ from: 10, to: 20 }, pauses.map(spanOf))).toEqual(left.map(spanOf));
  });

  it.each([
    ['tokens', '250 of 100 tokens'],
    ['money', '0.50 of 1.00 US dollars'],
    ['wallSeconds', '12 of 10 s'],
    ['agents', '2 of 2 agents'],
  ] as const)('is described by %s', (limit, text) => {
    const budget = { tokens: 100, money: 1, wallSeconds: 10, agents: 2 };
    expect(describeUse(limit, budget, use({ tokens: 250, money: 0.5, wallSeconds: 12.7, agents: 2 }))).toBe(text);
  });
});

import type { GitStatus } from '@agent-console/shared/models/git-status';
import { describe, expect, it } from 'vitest';
import { workFacts } from '../../src/features/integrations/work-facts.ts';

const STATUS: GitStatus = {
  base: 'main',
  dirtyFiles: 0,
  ahead: 2,
  behind: 0,
  upstream: null,
  merged: false,
  conflictsWithBase: false,
  changes: null,
  check: null,
  computedAt: '2026-03-01T10:00:00.000Z',
};

const facts = (status: Partial<GitStatus>, branch = 'fix') =>
  workFacts({ branch, gitStatus: { ...STATUS, ...status } }).map(({ text }) => text.replace(/[\u2066-\u2069]/g, ''));

describe('the facts about the work in a worktree', () => {
  it.each<[string, Partial<GitStatus>, string[]]>([
    ['commits', {}, ['2 ahead']],
    ['nothing', { ahead: 0 }, ['no new commits']],
    ['changed files', { ahead: 0, dirtyFiles: 1 }, ['1 uncommitted file', 'no new commits']],
    ['commits on both sides', { behind: 1_200 }, ['2 ahead', '1,200 behind', 'no conflicts']],
    ['conflicts', { behind: 1, conflictsWithBase: true }, ['2 ahead', '1 behind', '▲ conflicts with main']],
    ['merged work', { merged: true, behind: 3 }, ['merged']],
    ['a base that no longer exists', { base: null, conflictsWithBase: null }, ['▲ base branch no longer exists']],
  ])('compare it with the base: %s', (_, status, expected) => {
    expect(facts(status)).toEqual(expected);
  });

  it('say that conflicts are unknown, and why, if git is too old to find them', () => {
    const status = { behind: 1, conflictsWithBase: null };
    expect(facts(status)).toEqual(['2 ahead', '1 behind', 'conflicts unknown']);
    const unknown = workFacts({ branch: 'fix', gitStatus: { ...STATUS, ...status } }).at(-1);
    expect(unknown?.title).toContain('git 2.38');
  });

  it.each([
    [0, 0, ['pushed']],
    [2, 0, ['2 ahead of upstream']],
    [1, 3, ['1 ahead of upstream', '3 behind upstream']],
  ])('compare it with the upstream: %i ahead, %i behind', (ahead, behind, expected) => {
    expect(facts({ upstream: { ahead, behind } })).toEqual(['2 ahead', ...expected]);
    expect(facts({ upstream: { ahead, behind } }, 'main')).toEqual(expected);
  });
});

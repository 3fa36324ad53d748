import type { GitStatus } from '@agent-console/shared/models/git-status';
import { Worktree } from '@agent-console/shared/models/worktree';
import { describe, expect, it } from 'vitest';
import { finishActions } from '../../src/features/integrations/finish-actions.ts';
import { nullsOf } from '../sessions/fixtures.ts';

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

function actions(status: Partial<GitStatus>, fields: Partial<Worktree> = {}) {
  return finishActions({
    ...nullsOf(Worktree),
    id: 'w1',
    repositoryId: 'r1',
    kind: 'managed',
    name: 'fix',
    path: '/fix',
    branch: 'fix',
    state: 'ready',
    gitState: { currentSha: null, baseSha: null, hasChanges: null },
    gitStatus: { ...STATUS, ...status },
    createdAt: STATUS.computedAt,
    ...fields,
  });
}

describe('actions that finish the work of a worktree', () => {
  it('are available for clean commits', () => {
    const { reasons, next } = actions({ behind: 1 });
    expect(reasons).toEqual({
      commit: 'There are no uncommitted changes.',
      discard: 'There are no uncommitted changes.',
      update: undefined,
      merge: undefined,
      push: undefined,
    });
    expect(next).toBe('merge');
  });

  it('require that changes are committed first', () => {
    const { reasons, next } = actions({ dirtyFiles: 3, behind: 1 });
    expect(reasons.merge).toBe('Commit or discard the changes of 3 files first.');
    expect(reasons.commit).toBeUndefined();
    expect(next).toBe('commit');
  });

  it.each<[string, Partial<GitStatus>, Partial<Worktree>, string]>([
    ['nothing was committed', { ahead: 0 }, {}, 'This branch has no commits that main lacks.'],
    ['the work was squashed', { merged: true }, {}, 'main already contains this work.'],
    ['the worktree is on the base', { base: 'fix' }, {}, 'The worktree is on its base branch fix.'],
    ['there is no branch', {}, { branch: null }, 'The worktree is not on a branch.'],
    ['the worktree was removed', {}, { state: 'removed' }, 'The worktree was removed.'],
  ])('say why there is nothing to merge if %s', (_, status, fields, reason) => {
    const { reasons, next } = actions(status, fields);
    expect(reasons.merge).toBe(reason);
    expect(next).not.toBe('merge');
  });

  it('are not available before the checkout', () => {
    const { reasons, next } = actions({}, { state: 'creating', gitStatus: null });
    expect(new Set(Object.values(reasons))).toEqual(new Set(['The worktree is being created.']));
    expect(next).toBeUndefined();
  });

  it('can merge into another branch if the base is gone', () => {
    const { reasons } = actions({ base: null, behind: 0 });
    expect(reasons.merge).toBeUndefined();
    expect(reasons.update).toBe('The base branch no longer exists.');
  });

  it('push only commits that the upstream lacks', () => {
    const upstream = { ahead: 0, behind: 0 };
    const { reasons } = actions({ base: 'fix', upstream });
    expect(reasons.push).toBe('Every commit is already pushed.');
    expect(actions({ upstream }).reasons.push).toBeUndefined();
    expect(actions({ upstream: { ahead: 1, behind: 0 } }).reasons.push).toBeUndefined();
  });
});

import { RISK_LIST_MAX } from '@agent-console/shared/limits/git';
import { removalText } from '@agent-console/shared/removal-text';
import { expect, it } from 'vitest';

type Removal = Parameters<typeof removalText>[0];

const NOTHING: Removal['lost'] = {
  uncommitted: [],
  untracked: [],
  unpushed: [],
  ignored: [],
  leftOut: [],
  inProgress: null,
  more: 0,
};

/** Returns the line that says what the removal saved. */
function savedLine(lost: Partial<Removal['lost']>, about: { branch?: string; leftOut?: string[] } = {}): string {
  const { branch = null, leftOut = [] } = about;
  const worktree = { id: 'w', name: 'login', branch };
  const [, saved = ''] = removalText({
    worktree,
    recoveryRef: 'refs/r',
    lost: { ...NOTHING, ...lost },
    leftOut,
    warnings: [],
  }).split('\n');
  return saved.replace(' To restore: agent-console worktrees restore w', '');
}

it.each([
  ['commits without a branch', savedLine({ unpushed: ['1 One', '2 Two'] }), 'Saved for 30 days: 2 commits.'],
  [
    'no commits of a branch, which keeps them',
    savedLine({ unpushed: ['1 One'], untracked: ['a'] }, { branch: 'login' }),
    'Saved for 30 days: 1 untracked file.',
  ],
  [
    'that more files are saved than are listed',
    savedLine({ untracked: Array.from({ length: RISK_LIST_MAX }, (_, at) => `${at}`), more: 5 }),
    'Saved for 30 days: 1,000 untracked files, and more.',
  ],
  [
    'nothing of unsaved files that are not listed',
    savedLine({
      untracked: ['a'],
      ignored: Array.from({ length: RISK_LIST_MAX }, (_, at) => ({ path: `${at}`, bytes: 1, saved: false })),
      more: 5,
    }),
    'Saved for 30 days: 1 untracked file.',
  ],
  [
    'no submodule that could not be saved',
    savedLine({ uncommitted: ['a', 'mod'] }, { leftOut: ['mod/'] }),
    'Saved for 30 days: 1 uncommitted change.',
  ],
  ['only that something is saved if nothing was counted', savedLine({}), 'It is saved for 30 days.'],
])('the text about a removal names %s', (_, line, expected) => {
  expect(line).toBe(expected);
});

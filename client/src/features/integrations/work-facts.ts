import type { GitStatus } from '@agent-console/shared/models/git-status';
import type { Worktree } from '@agent-console/shared/models/worktree';
import { pluralize } from '@agent-console/shared/pluralize';
import { isolateText } from '../../ui/hidden-characters.ts';

export interface WorkFact {
  text: string;
  /** Longer explanation, shown as a tooltip. */
  title?: string;
  /** warning: needs attention; done: nothing is left to do. */
  tone?: 'warning' | 'done';
}

/**
 * Returns short texts about a worktree's uncommitted files, and about how its branch differs from its base and its
 * upstream. They do not include the result of the worktree's check.
 */
export function workFacts({ branch, gitStatus }: Pick<Worktree, 'branch' | 'gitStatus'>): WorkFact[] {
  if (gitStatus === null) return [];
  const { base, dirtyFiles, upstream } = gitStatus;
  const facts: WorkFact[] = dirtyFiles === 0 ? [] : [{ text: pluralize(dirtyFiles, 'uncommitted file') }];
  if (base === null) facts.push({ text: '▲ base branch no longer exists', tone: 'warning' });
  else if (base !== branch) facts.push(...comparedWithBase(base, gitStatus));
  if (upstream !== null) facts.push(...comparedWithUpstream(upstream));
  return facts;
}

function comparedWithBase(base: string, status: GitStatus): WorkFact[] {
  const { ahead, behind, merged, dirtyFiles } = status;
  if (merged) return [ahead + behind + dirtyFiles > 0 ? { text: 'merged', tone: 'done' } : NOTHING_NEW];
  const target = isolateText(base);
  const facts: WorkFact[] = [
    ahead === 0
      ? NOTHING_NEW
      : { text: `${ahead.toLocaleString('en')} ahead`, title: `${pluralize(ahead, 'commit')} that ${target} lacks` },
  ];
  if (behind > 0) {
    const title = `${pluralize(behind, 'commit')} of ${target} that this branch lacks`;
    facts.push({ text: `${behind.toLocaleString('en')} behind`, title });
  }
  return ahead === 0 ? facts : [...facts, ...conflictsWith(target, status)];
}

const NOTHING_NEW: WorkFact = { text: 'no new commits' };

function conflictsWith(target: string, { behind, conflictsWithBase }: GitStatus): WorkFact[] {
  if (conflictsWithBase === true) return [{ text: `▲ conflicts with ${target}`, tone: 'warning' }];
  if (conflictsWithBase === false) return behind > 0 ? [{ text: 'no conflicts' }] : [];
  return [
    {
      text: 'conflicts unknown',
      title:
        'Conflicts can be found before a merge only with git 2.38 or newer, and only if the branches have a common commit.',
    },
  ];
}

function comparedWithUpstream({ ahead, behind }: NonNullable<GitStatus['upstream']>): WorkFact[] {
  const title = 'Compared with the upstream branch as it was at the last fetch';
  if (ahead + behind === 0) return [{ text: 'pushed', title }];
  return [
    ...(ahead === 0 ? [] : [{ text: `${ahead.toLocaleString('en')} ahead of upstream`, title }]),
    ...(behind === 0 ? [] : [{ text: `${behind.toLocaleString('en')} behind upstream`, title }]),
  ];
}

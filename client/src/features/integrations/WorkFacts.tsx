import type { Worktree } from '@agent-console/shared/models/worktree';
import type { ReactNode } from 'react';
import { isolateText } from '../../ui/hidden-characters.ts';
import { CheckFact } from './CheckFact.tsx';
import { count } from './wording.ts';

/**
 * Comparison of a worktree's work with its base, as short facts. With `hasCheck`, a fact says so if no check has run.
 */
export function WorkFacts({ worktree, hasCheck = false }: { worktree: Worktree; hasCheck?: boolean }) {
  const { id, gitStatus, branch } = worktree;
  if (gitStatus === null) return null;
  const { base, dirtyFiles, ahead, behind, merged, conflictsWithBase, check, computedAt } = gitStatus;
  const target = isolateText(base ?? '');
  const isBase = base === branch;
  return (
    <ul className="flex flex-wrap items-baseline gap-x-3" title={`As of ${new Date(computedAt).toLocaleString()}`}>
      {dirtyFiles === 0 ? null : <Fact>{count(dirtyFiles, 'uncommitted file')}</Fact>}
      {base === null ? <Fact tone="text-needs">▲ base branch is gone</Fact> : null}
      {isBase || base === null ? null : merged && ahead + behind + dirtyFiles > 0 ? (
        <Fact tone="text-done">merged</Fact>
      ) : ahead === 0 ? (
        <Fact>no new commits</Fact>
      ) : (
        <Fact title={`${count(ahead, 'commit')} that ${target} lacks`}>{ahead.toLocaleString('en')} ahead</Fact>
      )}
      {behind === 0 || isBase || merged ? null : (
        <Fact title={`${count(behind, 'commit')} of ${target} that this branch lacks`}>
          {behind.toLocaleString('en')} behind
        </Fact>
      )}
      {isBase || merged || ahead === 0 ? null : conflictsWithBase === true ? (
        <Fact tone="text-needs">▲ conflicts with {target}</Fact>
      ) : behind > 0 && conflictsWithBase === false ? (
        <Fact>no conflicts</Fact>
      ) : null}
      {hasCheck || check !== null ? <CheckFact check={check} worktreeId={id} /> : null}
    </ul>
  );
}

function Fact({ tone = '', title, children }: { tone?: string; title?: string; children: ReactNode }) {
  return (
    <li className={`shrink-0 ${tone}`} title={title}>
      {children}
    </li>
  );
}

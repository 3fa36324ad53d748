import type { Worktree } from '@agent-console/shared/models/worktree';
import { CheckFact } from './CheckFact.tsx';
import { workFacts } from './work-facts.ts';

const TONES = { warning: 'text-needs', done: 'text-done' } as const;

/**
 * A list of the differences between a worktree's work, its base and its upstream, followed by the result of the check.
 * If the repository has a check command (`hasCheck`), a worktree without a result is shown as "not checked".
 */
export function WorkFacts({ worktree, hasCheck = false }: { worktree: Worktree; hasCheck?: boolean }) {
  const { id, gitStatus } = worktree;
  if (gitStatus === null) return null;
  const { check, computedAt } = gitStatus;
  return (
    <ul
      className="flex flex-wrap items-baseline gap-x-3"
      title={`Status of the worktree as of ${new Date(computedAt).toLocaleString()}`}
    >
      {workFacts(worktree).map(({ text, title, tone }) => (
        <li className={`shrink-0 ${tone === undefined ? '' : TONES[tone]}`} key={text} title={title}>
          {text}
        </li>
      ))}
      {hasCheck || check !== null ? <CheckFact check={check} worktreeId={id} /> : null}
    </ul>
  );
}

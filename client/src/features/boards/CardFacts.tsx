import type { WorkSummary } from '@agent-console/shared/models/git-status';
import { pluralize } from '@agent-console/shared/pluralize';
import { isolateText } from '../../ui/hidden-characters.ts';
import { useRunningChecks } from '../integrations/check.ts';
import type { Card } from './columns.ts';

/**
 * Facts about the work on a card: changed lines, uncommitted files, commits behind the base, check result and merge.
 */
export function CardFacts({ card }: { card: Card }) {
  const { session, worktree } = card;
  const worktreeId = session?.worktreeId ?? worktree?.id ?? '';
  const isChecking = useRunningChecks(({ jobs }) => jobs.has(worktreeId));
  const work = session?.gitState?.work ?? workOf(card);
  if (work === null) return null;
  const { check, merged, dirtyFiles, behind } = work;
  const changes = session?.gitState?.changes ?? worktree?.gitStatus?.changes ?? null;
  return (
    <span className="flex flex-wrap items-baseline gap-x-2 text-sm tabular-nums text-quiet">
      {changes === null || changes.files === 0 ? (
        card.badge?.kind === 'done' && !merged && <span>no changes</span>
      ) : (
        <span
          title={`${pluralize(changes.files, 'changed file')}${dirtyFiles > 0 ? ', with uncommitted changes' : ''}`}
        >
          <span className="text-added">+{changes.additions.toLocaleString('en')}</span>{' '}
          <span className="text-removed">−{changes.deletions.toLocaleString('en')}</span>
        </span>
      )}
      {dirtyFiles > 0 ? (
        <span title={pluralize(dirtyFiles, 'uncommitted file')}>{`${pluralize(dirtyFiles, 'file')} uncommitted`}</span>
      ) : null}
      {behind > 0 && !merged ? <span>{`${pluralize(behind, 'commit')} behind`}</span> : null}
      {isChecking ? (
        <span>checking…</span>
      ) : check === 'passed' ? (
        <span className="text-added">✓ check passed</span>
      ) : check === 'failed' ? (
        <span className="text-failed">⊘ check failed</span>
      ) : null}
      {merged ? <span>✓ merged{work.base === null ? '' : ` into ${isolateText(work.base)}`}</span> : null}
    </span>
  );
}

/**
 * Returns a summary of the work in a card's worktree, for a card without a session. For other cards, the session
 * contains the summary.
 */
function workOf({ worktree }: Card): WorkSummary | null {
  const status = worktree?.gitStatus ?? null;
  if (status === null) return null;
  return { ...status, check: status.check === null ? null : status.check.passed ? 'passed' : 'failed' };
}

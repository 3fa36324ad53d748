import type { Worktree } from '@agent-console/shared/models/worktree';
import { pluralize } from '@agent-console/shared/pluralize';
import { useOperationQuery } from '../../api/operations.ts';
import { Problem } from '../../ui/Problem.tsx';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { totalsOf } from '../diff/use-diff.ts';
import { ConflictList } from './ConflictList.tsx';
import type { useDryRun } from './use-dry-run.ts';

/** Preview of a merge: its commits and files, its conflicts, or the reason why the merge is not possible. */
export function MergePreview(props: { worktree: Worktree; into: string; dryRun: ReturnType<typeof useDryRun> }) {
  const { worktree, into, dryRun } = props;
  const { data, error, isCurrent } = dryRun;
  return (
    <section
      aria-busy={!isCurrent}
      aria-label="Preview"
      aria-live="polite"
      className="flex min-h-10 flex-col gap-2 rounded-md border border-line px-3 py-2 aria-busy:opacity-60"
    >
      {error !== null ? (
        <Problem error={error} />
      ) : data === undefined ? (
        <p className="text-quiet">Comparing the branches…</p>
      ) : data.conflicts.length > 0 ? (
        <>
          <p>
            <span className="font-medium text-needs">{`▲ ${pluralize(data.conflicts.length, 'file')} in conflict.`}</span>{' '}
            {data.conflicts.length === 1
              ? 'Nothing is merged until the conflict is resolved.'
              : 'Nothing is merged until the conflicts are resolved.'}
          </p>
          <ConflictList branch={worktree.branch ?? ''} conflicts={data.conflicts} into={data.into} />
        </>
      ) : (
        <Changes into={data.into || into} worktree={worktree} />
      )}
    </section>
  );
}

function Changes({ worktree, into }: { worktree: Worktree; into: string }) {
  const { gitStatus, id: worktreeId } = worktree;
  const { data: diff } = useOperationQuery('worktrees.diff', { worktreeId, base: into });
  const totals = diff && totalsOf(diff);
  const commits = gitStatus !== null && gitStatus.base === into ? gitStatus.ahead : undefined;
  return (
    <p>
      <UntrustedText className="font-mono" text={into} /> gets{' '}
      {commits === undefined ? null : <span className="font-medium">{pluralize(commits, 'commit')}</span>}
      {commits === undefined || totals === undefined ? null : ' with '}
      {totals === undefined ? null : (
        <>
          <span className="font-medium">{pluralize(totals.count, 'changed file')}</span>,{' '}
          <span className="text-added">+{totals.additions.toLocaleString('en')}</span>{' '}
          <span className="text-removed">−{totals.deletions.toLocaleString('en')}</span>
        </>
      )}
      {'. '}There are no conflicts.
    </p>
  );
}

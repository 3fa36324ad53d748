import type { MergeConflict } from '@agent-console/shared/models/integration';
import { parseJobResult } from '@agent-console/shared/models/job-result';
import { pluralize } from '@agent-console/shared/pluralize';
import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { RadioGroup } from '../../ui/Field.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { toast } from '../../ui/toasts.ts';
import { type LateEnd, lateHandlers } from '../worktrees/late-job.ts';
import { ConflictList } from './ConflictList.tsx';
import { JobDialog } from './JobDialog.tsx';
import { OutcomeDialog } from './OutcomeDialog.tsx';

const STRATEGIES = [
  {
    value: 'rebase',
    label: 'Rebase',
    hint: 'Reapplies the commits of this branch on top of the new commits of the base branch.',
  },
  { value: 'merge', label: 'Merge', hint: 'Merges the new commits of the base branch into this branch.' },
] as const;

/** Brings new commits of the base branch into a worktree's branch. */
export default function UpdateDialog({ request: { worktreeId }, onClose }: DialogBodyProps<'updateFromBase'>) {
  const { data: worktree } = useOperationQuery('worktrees.get', { worktreeId });
  const [strategy, setStrategy] = useState<(typeof STRATEGIES)[number]['value']>('rebase');
  const [conflicts, setConflicts] = useState<readonly MergeConflict[]>();
  const base = worktree?.gitStatus?.base ?? 'the base branch';
  const title = `Update from ${isolateText(base)}`;
  const late: LateEnd = {
    failure: `Could not update from ${isolateText(base)}`,
    announce(result) {
      const { commit, before, conflicts: found, warnings } = parseJobResult('base-update', result);
      if (commit === null) {
        const text = `${pluralize(found.length, 'file')} in conflict. The branch is unchanged.`;
        return toast({ kind: 'failed', title: `Not updated from ${isolateText(base)}`, text });
      }
      const text = warnings.join('\n');
      const isNew = commit !== before;
      const title = isNew ? `Updated from ${isolateText(base)}` : `No new commits on ${isolateText(base)}`;
      toast({ kind: 'plain', title, ...(text === '' ? {} : { text: isolateText(text) }) });
    },
  };
  const update = useOperationMutation('worktrees.updateFromBase', lateHandlers(late));
  if (conflicts !== undefined) {
    return (
      <OutcomeDialog onClose={onClose} title="Not updated: there are conflicts" width="wide">
        <p role="status">
          {`${pluralize(conflicts.length, 'file')} in conflict. The branch is unchanged. `}
          {`Ask the agent to merge ${isolateText(base)} into its branch.`}
        </p>
        <ConflictList branch={base} conflicts={conflicts} into={worktree?.branch ?? ''} />
      </OutcomeDialog>
    );
  }
  return (
    <JobDialog
      fields={[]}
      late={late}
      mutation={update}
      onClose={onClose}
      onResult={(result) => {
        const { commit, conflicts: found } = parseJobResult('base-update', result);
        if (commit === null) return setConflicts(found);
        onClose();
        late.announce(result);
      }}
      onSubmit={() => update.mutate({ worktreeId, strategy })}
      progress="Updating"
      submit="Update"
      title={title}
    >
      <div className="flex flex-col gap-1">
        <RadioGroup label="Method" onChange={setStrategy} options={STRATEGIES} value={strategy} />
        <p className="text-sm text-quiet">{STRATEGIES.find(({ value }) => value === strategy)?.hint}</p>
      </div>
      <p>
        {worktree?.gitStatus == null
          ? null
          : `${isolateText(worktree.branch ?? 'The branch')} gets ${pluralize(worktree.gitStatus.behind, 'commit')} from ${isolateText(base)}. `}
        {`If ${isolateText(base)} tracks a remote branch, the remote branch is fetched first and may add more commits.`}
      </p>
    </JobDialog>
  );
}

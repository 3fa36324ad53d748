import { parseJobResult } from '@agent-console/shared/models/job-result';
import { pluralize } from '@agent-console/shared/pluralize';
import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { TextAreaField } from '../../ui/Field.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { toast } from '../../ui/toasts.ts';
import { useForm } from '../../ui/use-form.ts';
import { type LateEnd, lateHandlers } from '../worktrees/late-job.ts';
import { ChangedFiles } from './ChangedFiles.tsx';
import { toggled } from './discard-selection.ts';
import { JobDialog } from './JobDialog.tsx';
import { noneChosen } from './wording.ts';

const LATE: LateEnd = {
  failure: 'Could not commit',
  announce(result) {
    const { files, warnings } = parseJobResult('commit', result);
    const text = warnings.join('\n');
    toast({
      kind: 'plain',
      title: `${pluralize(files, 'file')} committed`,
      ...(text === '' ? {} : { text: isolateText(text) }),
    });
  },
};

/** Commits all or some of the uncommitted changes of a worktree. */
export default function CommitDialog({ request: { worktreeId }, onClose }: DialogBodyProps<'commit'>) {
  const commit = useOperationMutation('worktrees.commit', lateHandlers(LATE));
  const { data: diff, error } = useOperationQuery('worktrees.diff', { worktreeId, base: 'HEAD' });
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const { values, names, field } = useForm({ message: '' }, commit.error);
  const { files, moreFiles } = diff ?? { files: [], moreFiles: 0 };
  // Without paths, the commit includes all changes, also those of files that the diff does not list.
  const commitsAll = excluded.size === 0;
  const included = files.filter(({ path }) => !excluded.has(path));
  const chosen = included.length;
  // The commit includes the old path of a renamed file, so that it removes the old file.
  const paths = included.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [path, oldPath]));
  return (
    <JobDialog
      blocked={diff === undefined || chosen > 0 ? undefined : noneChosen(files)}
      fields={names}
      hint={
        commitsAll
          ? 'Commits all changes, including untracked files.'
          : `Commits ${chosen.toLocaleString('en')} of ${pluralize(files.length + moreFiles, 'file')}.`
      }
      late={LATE}
      mutation={commit}
      onClose={onClose}
      onResult={(result) => {
        onClose();
        LATE.announce(result);
      }}
      onSubmit={() => commit.mutate({ worktreeId, message: values.message, ...(commitsAll ? {} : { paths }) })}
      progress="Committing"
      submit="Commit"
      title="Commit changes"
    >
      <TextAreaField {...field('message', 'Enter a message.')} label="Message" rows={2} />
      <Problem error={error} />
      {diff === undefined ? <Skeleton /> : null}
      <ChangedFiles
        chosenOf={({ path }) => (excluded.has(path) ? 'none' : 'all')}
        files={files}
        onAll={(all) => setExcluded(new Set(all ? [] : files.map(({ path }) => path)))}
        onToggle={({ path }) => setExcluded(toggled(excluded, [path]))}
      />
      {moreFiles > 0 ? (
        <p className="text-quiet">
          {commitsAll
            ? `${pluralize(moreFiles, 'more file')} will also be committed, but there are too many files to list.`
            : `${pluralize(moreFiles, 'more file')} will not be committed, because there are too many files to list.`}
        </p>
      ) : null}
    </JobDialog>
  );
}

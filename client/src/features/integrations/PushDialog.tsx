import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { Checkbox, RadioGroup, TextAreaField, TextField } from '../../ui/Field.tsx';
import { filled } from '../../ui/filled.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { toast } from '../../ui/toasts.ts';
import { useForm } from '../../ui/use-form.ts';
import { JobDialog } from './JobDialog.tsx';
import { PageLink } from './PullRequestLink.tsx';

const KINDS = [
  { value: 'push', label: 'Push' },
  { value: 'pullRequest', label: 'Pull request' },
] as const;

/** Pushes the branch of a worktree, and optionally creates a pull request. */
export default function PushDialog({ request: { worktreeId }, onClose }: DialogBodyProps<'push'>) {
  const { data: worktree } = useOperationQuery('worktrees.get', { worktreeId });
  const push = useOperationMutation('worktrees.push');
  const pullRequest = useOperationMutation('worktrees.pullRequest');
  const [kind, setKind] = useState<(typeof KINDS)[number]['value']>('push');
  const [force, setForce] = useState(false);
  const [draft, setDraft] = useState(false);
  const mutation = kind === 'push' ? push : pullRequest;
  const { values, names, field } = useForm({ title: '', body: '' }, mutation.error);
  const branch = isolateText(worktree?.branch ?? 'branch');
  const page = pullRequest.error?.details.page;
  return (
    <JobDialog
      fields={names}
      mutation={mutation}
      onClose={onClose}
      onResult={() => {
        onClose();
        toast({ kind: 'plain', title: kind === 'push' ? `${branch} pushed` : `Pull request of ${branch} created` });
      }}
      onSubmit={() => {
        if (kind === 'push') push.mutate({ worktreeId, force });
        else pullRequest.mutate({ worktreeId, draft, ...filled(values) });
      }}
      progress={kind === 'push' ? 'Pushing' : 'Creating the pull request'}
      submit={kind === 'push' ? 'Push' : 'Create pull request'}
      title={`Push ${branch}`}
    >
      <RadioGroup label="Action" onChange={setKind} options={KINDS} value={kind} />
      {kind === 'push' ? (
        <Checkbox
          checked={force}
          hint="Needed after a rebase. Refused if somebody else pushed since the last fetch."
          label="Replace the remote branch"
          onChange={setForce}
        />
      ) : (
        <>
          <TextField {...field('title')} label="Title" optional placeholder="Title of the session" />
          <TextAreaField
            {...field('body')}
            label="Description"
            optional
            placeholder="The result that the agent reported"
            rows={3}
          />
          <Checkbox checked={draft} label="Create a draft" onChange={setDraft} />
        </>
      )}
      {typeof page === 'string' ? <PageLink text="Create it on the web" url={page} /> : null}
    </JobDialog>
  );
}

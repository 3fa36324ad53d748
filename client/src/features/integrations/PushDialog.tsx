import { parseJobResult } from '@agent-console/shared/models/job-result';
import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { Checkbox, RadioGroup, TextAreaField, TextField } from '../../ui/Field.tsx';
import { filled } from '../../ui/filled.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { toast } from '../../ui/toasts.ts';
import { useForm } from '../../ui/use-form.ts';
import { type LateEnd, lateHandlers } from '../worktrees/late-job.ts';
import { JobDialog } from './JobDialog.tsx';
import { PageLink } from './PullRequestLink.tsx';

const KINDS = [
  { value: 'push', label: 'Push' },
  { value: 'pullRequest', label: 'Push and create or update the pull request' },
] as const;
type Kind = (typeof KINDS)[number]['value'];

/** Pushes the branch of a worktree, and optionally creates a pull request. */
export default function PushDialog({ request: { worktreeId }, onClose }: DialogBodyProps<'push'>) {
  const { data: worktree } = useOperationQuery('worktrees.get', { worktreeId });
  const branch = isolateText(worktree?.branch ?? 'branch');
  const late: Record<Kind, LateEnd> = {
    push: {
      failure: `Could not push ${branch}`,
      announce: () => toast({ kind: 'plain', title: `${branch} pushed` }),
    },
    pullRequest: {
      failure: 'Could not create the pull request',
      announce(result) {
        const { created } = parseJobResult('pull-request', result);
        const title = created ? `Pull request of ${branch} created` : `Pull request of ${branch} updated`;
        toast({ kind: 'plain', title });
      },
    },
  };
  const push = useOperationMutation('worktrees.push', lateHandlers(late.push));
  const pullRequest = useOperationMutation('worktrees.pullRequest', lateHandlers(late.pullRequest));
  const [kind, setKind] = useState<Kind>('push');
  const [force, setForce] = useState(false);
  const [draft, setDraft] = useState(false);
  const mutation = kind === 'push' ? push : pullRequest;
  const { values, names, field } = useForm({ title: '', body: '' }, mutation.error);
  const page = pullRequest.error?.details.page;
  return (
    <JobDialog
      fields={names}
      late={late[kind]}
      mutation={mutation}
      onClose={onClose}
      onResult={(result) => {
        onClose();
        late[kind].announce(result);
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
          hint="Needed after a rebase. The push is refused if somebody else has pushed since your last fetch."
          label="Replace the remote branch"
          onChange={setForce}
        />
      ) : (
        <>
          <TextField {...field('title')} label="Title" optional placeholder="Default: the title of the session" />
          <TextAreaField
            {...field('body')}
            label="Description"
            optional
            placeholder="Default: the result that the agent reported"
            rows={3}
          />
          <Checkbox checked={draft} label="Create a draft" onChange={setDraft} />
        </>
      )}
      {typeof page === 'string' ? <PageLink text="Create the pull request on the web" url={page} /> : null}
    </JobDialog>
  );
}

import type { IntegrationStrategy } from '@agent-console/shared/models/integration';
import { parseJobResult } from '@agent-console/shared/models/job-result';
import type { Repository } from '@agent-console/shared/models/repository';
import type { Worktree } from '@agent-console/shared/models/worktree';
import { pluralize } from '@agent-console/shared/pluralize';
import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { FormDialog, LoadingDialog } from '../../ui/Dialog.tsx';
import { Checkbox, RadioGroup, TextAreaField } from '../../ui/Field.tsx';
import { filled } from '../../ui/filled.ts';
import { isolateText } from '../../ui/hidden-characters.ts';
import { useStoredChoice } from '../../ui/local-storage.ts';
import { FormProblem } from '../../ui/Problem.tsx';
import { ProgressDialog } from '../../ui/Progress.tsx';
import { toast } from '../../ui/toasts.ts';
import { useForm } from '../../ui/use-form.ts';
import { BranchField } from '../repositories/RepositoryField.tsx';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { JobProgress } from '../worktrees/JobProgress.tsx';
import { type LateEnd, lateHandlers } from '../worktrees/late-job.ts';
import { RunCheck } from './CheckFact.tsx';
import { MergePreview } from './MergePreview.tsx';
import { type MergeOutcome, MergeResult } from './MergeResult.tsx';
import { offerUndo } from './undo.ts';
import { useDryRun } from './use-dry-run.ts';
import { describeIntegrated, STRATEGIES } from './wording.ts';

/** Merges, squashes or rebases the branch of a worktree into another branch. */
export default function MergeDialog({ request: { worktreeId }, onClose }: DialogBodyProps<'merge'>) {
  const worktree = useOperationQuery('worktrees.get', { worktreeId });
  const repositoryId = worktree.data?.repositoryId ?? '';
  const repository = useOperationQuery('repositories.get', { repositoryId }, { enabled: repositoryId !== '' });
  if (worktree.data !== undefined && repository.data !== undefined) {
    return <MergeForm onClose={onClose} repository={repository.data} worktree={worktree.data} />;
  }
  return <LoadingDialog error={worktree.error ?? repository.error} onClose={onClose} title="Merge" width="wide" />;
}

interface Cleanup {
  removeWorktree: boolean;
  deleteBranch: boolean;
  archiveSessions: boolean;
}

const KEEP: Cleanup = { removeWorktree: false, deleteBranch: false, archiveSessions: false };

function MergeForm(props: { worktree: Worktree; repository: Repository; onClose(): void }) {
  const { worktree, repository, onClose } = props;
  const { id: worktreeId, branch } = worktree;
  const [strategy, setStrategy] = useStoredChoice<IntegrationStrategy>('agent-console.merge-strategy', [
    'merge',
    'squash',
    'rebase',
  ]);
  const [requireCheck, setRequireCheck] = useState(false);
  const [cleanup, setCleanup] = useState(KEEP);
  const openSession = useOpenSession();
  const late: LateEnd = {
    failure: 'Could not merge',
    announce: (result) => announceMerge(parseJobResult('integration', result), strategy, openSession),
  };
  const integrate = useOperationMutation('worktrees.integrate', lateHandlers(late));
  const { error } = integrate;
  // The target branch that the dialog suggests. It stays the same even if the merge changes the worktree's base.
  const [base] = useState(worktree.gitStatus?.base ?? repository.defaultBranch);
  const { values, names, field } = useForm({ into: base, message: '' }, error);
  const dryRun = useDryRun(worktreeId, { strategy, into: values.into });
  const hasConflicts = dryRun.isCurrent && (dryRun.data?.conflicts.length ?? 0) > 0;
  const into = values.into.trim();
  const title = `Merge ${isolateText(branch ?? worktree.name)}${into === '' ? '' : ` into ${isolateText(into)}`}`;

  const send = (resolve: boolean) =>
    integrate.mutate({
      worktreeId,
      strategy,
      requireCheck,
      resolve,
      cleanup,
      ...filled({ into: values.into.trim(), message: strategy === 'rebase' ? '' : values.message }),
    });
  if (integrate.data !== undefined) {
    return (
      <Merging
        branch={branch ?? ''}
        isManaged={worktree.kind === 'managed'}
        jobId={integrate.data.jobId}
        late={late}
        onBack={() => integrate.reset()}
        onClose={onClose}
        onResolve={() => {
          integrate.reset();
          send(true);
        }}
        strategy={strategy}
        title={title}
      />
    );
  }
  return (
    <FormDialog
      busy={integrate.isPending}
      hint={hasConflicts ? 'An agent resolves the conflicts in a new worktree.' : 'You can undo the merge afterwards.'}
      onClose={onClose}
      onSubmit={() => send(hasConflicts)}
      problem={<FormProblem error={error} fields={names} />}
      submit={
        hasConflicts
          ? 'Resolve conflicts with an agent'
          : (STRATEGIES.find(({ value }) => value === strategy)?.label ?? '')
      }
      title={title}
      width="wide"
    >
      <div className="flex flex-col gap-1">
        <RadioGroup label="Method" onChange={setStrategy} options={STRATEGIES} value={strategy} />
        <p className="text-sm text-quiet">{STRATEGIES.find(({ value }) => value === strategy)?.hint}</p>
      </div>
      <BranchField
        {...field('into', 'Choose a branch.')}
        label="Target branch"
        placeholder={repository.defaultBranch}
        repositoryId={repository.id}
      />
      <MergePreview dryRun={dryRun} into={into} worktree={worktree} />
      {strategy === 'rebase' || hasConflicts ? null : (
        <TextAreaField
          {...field('message')}
          label="Message"
          optional
          placeholder={strategy === 'squash' ? 'Default: the title of the session' : `Merge branch '${branch ?? ''}'`}
          rows={1}
        />
      )}
      {repository.checkCommand === null || hasConflicts ? null : (
        <Checkbox
          checked={requireCheck}
          hint={
            <>
              {checkHint(worktree)} <RunCheck worktreeId={worktreeId} />
            </>
          }
          label="Require a passing check"
          onChange={setRequireCheck}
        />
      )}
      {hasConflicts ? null : (
        <CleanupChoice cleanup={cleanup} isManaged={worktree.kind === 'managed'} onChange={setCleanup} />
      )}
    </FormDialog>
  );
}

function checkHint({ gitStatus }: Worktree): string {
  const check = gitStatus?.check ?? null;
  if (check === null) return 'The check command has not run for this commit.';
  if (!check.clean) return 'The check ran with uncommitted changes, so its result does not count for this commit.';
  return check.passed ? 'The check command passed for this commit.' : 'The check command failed for this commit.';
}

/** Choice of what to remove after the merge. A branch can be deleted only together with its worktree. */
function CleanupChoice(props: { cleanup: Cleanup; isManaged: boolean; onChange(cleanup: Cleanup): void }) {
  const { cleanup, isManaged, onChange } = props;
  const { removeWorktree, deleteBranch, archiveSessions } = cleanup;
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium">After the merge</legend>
      <Checkbox
        checked={archiveSessions}
        label="Stop and archive the sessions of the worktree"
        onChange={(checked) => onChange({ ...cleanup, archiveSessions: checked })}
      />
      {isManaged ? (
        <>
          <Checkbox
            checked={removeWorktree}
            hint="The worktree can be restored for 30 days."
            label="Remove the worktree"
            onChange={(checked) =>
              onChange({ ...cleanup, removeWorktree: checked, deleteBranch: checked && deleteBranch })
            }
          />
          <Checkbox
            checked={deleteBranch}
            label="Delete the branch"
            onChange={(checked) =>
              onChange({ ...cleanup, deleteBranch: checked, removeWorktree: checked || removeWorktree })
            }
          />
        </>
      ) : null}
    </fieldset>
  );
}

/** Progress and outcome of the merge job. */
function Merging(props: {
  jobId: string;
  title: string;
  branch: string;
  isManaged: boolean;
  strategy: IntegrationStrategy;
  late: LateEnd;
  onBack(): void;
  onClose(): void;
  onResolve(): void;
}) {
  const { jobId, title, branch, isManaged, strategy, late, onBack, onClose, onResolve } = props;
  const [outcome, setOutcome] = useState<MergeOutcome>();
  const [failed, setFailed] = useState(false);
  if (outcome !== undefined) {
    return (
      <MergeResult
        branch={branch}
        isManaged={isManaged}
        onClose={onClose}
        onResolve={onResolve}
        outcome={outcome}
        strategy={strategy}
      />
    );
  }
  return (
    <ProgressDialog onBack={onBack} onClose={onClose} state={failed ? 'failed' : 'running'} title={title}>
      <JobProgress
        jobId={jobId}
        label="Merging"
        late={late}
        onEnd={({ result }) => {
          if (result === undefined) setFailed(true);
          else setOutcome(parseJobResult('integration', result));
        }}
      />
    </ProgressDialog>
  );
}

/** Shows a toast with the outcome of an integration whose dialog has been closed. */
function announceMerge(outcome: MergeOutcome, strategy: IntegrationStrategy, openSession: (id: string) => void): void {
  const { integrationId, commit, into, undoableUntil, conflicts, resolvingSessionId } = outcome;
  const title = describeIntegrated({ strategy, into });
  if (commit !== null) {
    if (undoableUntil === null) toast({ kind: 'done', title });
    else offerUndo(title, { id: integrationId, into });
    return;
  }
  const text = `${pluralize(conflicts.length, 'file')} in conflict. The target branch is unchanged.`;
  if (resolvingSessionId === null) toast({ kind: 'failed', title: `Not merged into ${isolateText(into)}`, text });
  else {
    const action = { label: 'Open', run: () => openSession(resolvingSessionId) };
    toast({ kind: 'plain', title: 'An agent is resolving the conflicts', text, action });
  }
}

import type { CleanupResult, IntegrationStrategy } from '@agent-console/shared/models/integration';
import type { JobResultOf } from '@agent-console/shared/models/job-result';
import { pluralize } from '@agent-console/shared/pluralize';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { MainButton } from '../../ui/Dialog.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Problem } from '../../ui/Problem.tsx';
import { failureToast, toast } from '../../ui/toasts.ts';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { ConflictList } from './ConflictList.tsx';
import { OutcomeDialog, Warnings } from './OutcomeDialog.tsx';
import { offerUndo, undoIntegration } from './undo.ts';
import { describeIntegrated } from './wording.ts';

/** Result of an integration's job. */
export type MergeOutcome = JobResultOf<'integration'>;

const SHORT_SHA_CHARS = 7;

/** Outcome of a merge: the integration, the clean-up and an undo button, or the conflicts. */
export function MergeResult(props: {
  outcome: MergeOutcome;
  branch: string;
  /** Whether the console created the worktree and may therefore remove it. */
  isManaged: boolean;
  strategy: IntegrationStrategy;
  onResolve(): void;
  onClose(): void;
}) {
  const { outcome, branch, isManaged, strategy, onResolve, onClose } = props;
  const { commit, into, conflicts, problems, integrationId, resolvingSessionId } = outcome;
  const openSession = useOpenSession();
  const [busy, setBusy] = useState(false);
  const cleanUp = useOperationMutation('integrations.cleanUp', {
    onLateSuccess: ({ cleanup }) => {
      const [problem] = problemsOf(cleanup);
      const title = capitalized(describeCleanup(cleanup)) || 'Nothing was cleaned up';
      toast({ kind: 'plain', title, ...(problem === undefined ? {} : { text: isolateText(problem) }) });
    },
    onLateError: failureToast('Could not clean up after the merge'),
  });
  if (commit === null) {
    return (
      <OutcomeDialog
        after={
          resolvingSessionId === null ? (
            <MainButton onClick={onResolve}>Resolve conflicts with an agent</MainButton>
          ) : (
            <MainButton
              onClick={() => {
                onClose();
                openSession(resolvingSessionId);
              }}
            >
              Open the agent's session
            </MainButton>
          )
        }
        onClose={onClose}
        title={resolvingSessionId === null ? 'Not merged: there are conflicts' : 'An agent is resolving the conflicts'}
        width="wide"
      >
        <p role="status">
          {`${pluralize(conflicts.length, 'file')} in conflict. The target branch is unchanged.`}
          {resolvingSessionId === null ? '' : ' When the agent has finished, merge its branch.'}
        </p>
        <ConflictList branch={branch} conflicts={conflicts} into={into} />
        <Warnings texts={problems} />
      </OutcomeDialog>
    );
  }
  const title = describeIntegrated({ strategy, into });
  const undo = async () => {
    setBusy(true);
    await undoIntegration({ id: integrationId, into });
    onClose();
  };
  const close = () => {
    onClose();
    if (outcome.undoableUntil === null) return;
    offerUndo(title, { id: integrationId, into });
  };
  const cleanup = cleanUp.data?.cleanup ?? outcome.cleanup;
  const done = describeCleanup(cleanup);
  const isClean = !isManaged || (cleanup?.worktreeRemoved === true && cleanup.branchDeleted);
  return (
    <OutcomeDialog
      before={
        <>
          {outcome.undoableUntil === null ? null : (
            <Button busy={busy} disabled={cleanUp.isPending} onClick={() => void undo()}>
              Undo
            </Button>
          )}
          {isClean ? null : (
            <Button busy={cleanUp.isPending} disabled={busy} onClick={() => cleanUp.mutate({ integrationId })}>
              Clean up
            </Button>
          )}
        </>
      }
      isDone
      onClose={close}
      problem={<Problem error={cleanUp.error} />}
      title={title}
    >
      <p role="status">
        {outcome.undoableUntil === null
          ? 'The target branch already contained this work.'
          : 'The target branch is now at commit '}
        {outcome.undoableUntil === null ? null : (
          <>
            <code className="font-mono">{commit.slice(0, SHORT_SHA_CHARS)}</code>.
          </>
        )}
      </p>
      {done === '' ? null : <p role="status">{capitalized(done)}.</p>}
      {isClean ? null : (
        <p className="text-quiet">
          Cleaning up stops and archives the sessions of the worktree, removes the worktree and deletes the branch. The
          worktree can be restored for 30 days.
        </p>
      )}
      <Warnings texts={[...problems, ...problemsOf(cleanup)]} />
    </OutcomeDialog>
  );
}

/** Says what was cleaned up, e.g. `worktree removed, branch deleted`; empty if nothing was cleaned up. */
function describeCleanup(cleanup: CleanupResult | null): string {
  const { sessionsArchived = [], worktreeRemoved = false, branchDeleted = false } = cleanup ?? {};
  return [
    ...(sessionsArchived.length > 0 ? [`${pluralize(sessionsArchived.length, 'session')} archived`] : []),
    ...(worktreeRemoved ? ['worktree removed'] : []),
    ...(branchDeleted ? ['branch deleted'] : []),
  ].join(', ');
}

/** Returns what was not cleaned up, then the warnings about what was removed. */
function problemsOf(cleanup: CleanupResult | null): readonly string[] {
  return cleanup === null ? [] : [...cleanup.problems, ...cleanup.warnings];
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

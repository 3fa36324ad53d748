import type { IntegrationStrategy } from '@agent-console/shared/models/integration';
import type { JobResultOf } from '@agent-console/shared/models/job-result';
import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { MainButton } from '../../ui/Dialog.tsx';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { ConflictList } from './ConflictList.tsx';
import { OutcomeDialog, Warnings } from './OutcomeDialog.tsx';
import { offerUndo, undoIntegration } from './undo.ts';
import { count, describeIntegrated } from './wording.ts';

/** Result of an integration's job. */
export type MergeOutcome = JobResultOf<'integration'>;

const SHORT_SHA_CHARS = 7;

/** Outcome of a merge: the integration, the clean-up and an undo button, or the conflicts. */
export function MergeResult(props: {
  outcome: MergeOutcome;
  branch: string;
  strategy: IntegrationStrategy;
  onResolve(): void;
  onClose(): void;
}) {
  const { outcome, branch, strategy, onResolve, onClose } = props;
  const { commit, into, conflicts, problems, integrationId, resolvingSessionId } = outcome;
  const openSession = useOpenSession();
  const [busy, setBusy] = useState(false);
  if (commit === null) {
    return (
      <OutcomeDialog
        after={
          resolvingSessionId === null ? (
            <MainButton onClick={onResolve}>Resolve with an agent</MainButton>
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
          {count(conflicts.length, 'file')} in conflict. Nothing has changed.
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
  const { sessionsArchived = [], worktreeRemoved = false, branchDeleted = false } = outcome.cleanup ?? {};
  const done = [
    ...(sessionsArchived.length > 0 ? [`${count(sessionsArchived.length, 'session')} archived`] : []),
    ...(worktreeRemoved ? ['worktree removed'] : []),
    ...(branchDeleted ? ['branch deleted'] : []),
  ].join(', ');
  return (
    <OutcomeDialog
      before={
        outcome.undoableUntil === null ? null : (
          <Button busy={busy} onClick={() => void undo()}>
            Undo
          </Button>
        )
      }
      isDone
      onClose={close}
      title={title}
    >
      <p role="status">
        {outcome.undoableUntil === null ? 'The branch already contained this work.' : 'The branch is now at commit '}
        {outcome.undoableUntil === null ? null : (
          <>
            <code className="font-mono">{commit.slice(0, SHORT_SHA_CHARS)}</code>.
          </>
        )}
      </p>
      {done === '' ? null : <p>{done.charAt(0).toUpperCase() + done.slice(1)}.</p>}
      <Warnings texts={[...problems, ...(outcome.cleanup?.problems ?? [])]} />
    </OutcomeDialog>
  );
}

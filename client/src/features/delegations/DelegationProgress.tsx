import type { DelegationState } from '@agent-console/shared/models/delegation';
import { useEffect } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { Problem } from '../../ui/Problem.tsx';
import { Progress, ProgressDialog } from '../../ui/Progress.tsx';

export const STEPS: Readonly<Record<DelegationState, string>> = {
  requested: 'Choosing a branch',
  creating_worktree: 'Creating the worktree',
  starting_agent: 'Starting the agent',
  prompting: 'Sending the prompt',
  handed_over: 'Prompt accepted',
  rejected: 'Rejected',
};

/**
 * Progress of a delegation whose call returned before the agent was started. Calls `onReady` when the prompt is being
 * sent.
 */
export function DelegationProgress(props: {
  delegationId: string;
  onReady(warnings: readonly string[]): void;
  onBack(): void;
  onClose(): void;
}) {
  const { delegationId, onReady, onBack, onClose } = props;
  const { data, error } = useOperationQuery('delegations.get', { delegationId });
  const ready = data?.state === 'prompting' || data?.state === 'handed_over';
  // biome-ignore lint/correctness/useExhaustiveDependencies: calls `onReady` only once
  useEffect(() => {
    if (ready) onReady(data.warnings);
  }, [ready]);
  const failed = data?.failedStep ?? null;
  return (
    <ProgressDialog
      onBack={onBack}
      onClose={onClose}
      state={failed === null ? 'running' : 'failed'}
      title="Delegating work"
    >
      {failed === null ? (
        <Progress fraction={undefined} label={data === undefined ? 'Preparing' : STEPS[data.state]} />
      ) : (
        <p>{`The delegation failed while ${STEPS[failed].toLowerCase()}.`}</p>
      )}
      <Problem error={error ?? data?.error} />
    </ProgressDialog>
  );
}

import type { DelegationState } from '@agent-console/shared/models/delegation';
import { useEffect } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Progress } from '../../ui/Progress.tsx';

/** Label of each state. */
export const STEPS: Readonly<Record<DelegationState, string>> = {
  requested: 'Choosing a branch',
  creating_worktree: 'Creating the worktree',
  starting_agent: 'Starting the agent',
  prompting: 'Sending the prompt',
  handed_over: 'Prompt accepted',
  rejected: 'Rejected',
};

/** Progress of a delegation that outlasts its call, until the agent has its prompt. */
export function DelegationProgress({
  delegationId,
  onReady,
  onBack,
  onClose,
}: {
  delegationId: string;
  onReady(warnings: readonly string[]): void;
  onBack(): void;
  onClose(): void;
}) {
  const { data, error } = useOperationQuery('delegations.get', { delegationId });
  const ready = data?.state === 'prompting' || data?.state === 'handed_over';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is ready
  useEffect(() => {
    if (ready) onReady(data.warnings);
  }, [ready]);
  const failed = data?.failedStep ?? null;
  return (
    <Dialog
      footer={
        <div className="flex justify-end gap-2">
          {failed === null ? null : <Button onClick={onBack}>Back</Button>}
          <Button onClick={onClose}>{failed === null ? 'Continue in background' : 'Close'}</Button>
        </div>
      }
      onClose={onClose}
      title="Delegating"
    >
      <div className="flex flex-col gap-3">
        {failed === null ? (
          <Progress fraction={undefined} label={data === undefined ? 'Preparing' : STEPS[data.state]} />
        ) : (
          <p>Failed while {STEPS[failed].toLowerCase()}.</p>
        )}
        <Problem error={error ?? data?.error} />
      </div>
    </Dialog>
  );
}

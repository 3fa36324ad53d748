import { isFinal } from '@agent-console/shared/models/orchestration';
import { pluralize } from '@agent-console/shared/pluralize';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { showRun } from './run-actions.ts';

export default function CancelRunDialog({ request: { runId }, onClose }: DialogBodyProps<'cancelRun'>) {
  const { data: run } = useOperationQuery('orchestrations.get', { orchestrationId: runId });
  const cancel = useOperationMutation('orchestrations.cancel', {
    onSuccess: (status) => {
      showRun(status);
      onClose();
    },
  });
  const agents = run?.agents ?? [];
  const open = agents.filter(({ state }) => !isFinal(state));
  const live = open.filter(({ state }) => state !== 'pending').length;
  return (
    <ConfirmDialog
      busy={cancel.isPending}
      confirm="Cancel run"
      error={cancel.error}
      onClose={onClose}
      onConfirm={() => cancel.mutate({ orchestrationId: runId })}
      title="Cancel this run?"
      wayOut="Keep run"
    >
      <div className="flex flex-col gap-2">
        <p>
          {live === 0 ? 'No agent is running. ' : `${pluralize(live, 'agent')} will be stopped. `}
          {open.length - live === 0 ? '' : `${pluralize(open.length - live, 'agent')} will not start. `}A cancelled run
          cannot be resumed.
        </p>
        <p className="text-quiet">Sessions, branches and results so far are kept.</p>
      </div>
    </ConfirmDialog>
  );
}

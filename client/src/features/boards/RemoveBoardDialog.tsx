import { pluralize } from '@agent-console/shared/pluralize';
import { useNavigate } from '@tanstack/react-router';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { failureToast, toast } from '../../ui/toasts.ts';

export default function RemoveBoardDialog({ request: { boardId }, onClose }: DialogBodyProps<'removeBoard'>) {
  const { data: board } = useOperationQuery('boards.get', { boardId });
  const navigate = useNavigate();
  const remove = useOperationMutation('boards.remove', {
    onSuccess: () => {
      onClose();
      void navigate({ to: '/boards' });
    },
    onLateSuccess: () => toast({ kind: 'plain', title: 'Board removed', text: 'The worktrees on the board are kept.' }),
    onLateError: failureToast('Could not remove the board'),
  });
  const zones = board === undefined || board.zones.length === 0 ? '' : `, its ${pluralize(board.zones.length, 'zone')}`;
  return (
    <ConfirmDialog
      busy={remove.isPending}
      confirm="Remove board"
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate({ boardId })}
      title={`Remove board ${board === undefined ? '' : `“${isolateText(board.name)}”`}?`}
    >
      <p>
        {`This permanently removes the board${zones} and the positions of the worktrees on it. `}
        The worktrees and their sessions are kept.
      </p>
    </ConfirmDialog>
  );
}

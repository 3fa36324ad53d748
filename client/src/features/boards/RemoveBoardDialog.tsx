import { useNavigate } from '@tanstack/react-router';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, MainButton } from '../../ui/Dialog.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Problem } from '../../ui/Problem.tsx';
import { failureToast, toast } from '../../ui/toasts.ts';
import { count } from '../integrations/wording.ts';

/** Confirms the removal of a board. */
export default function RemoveBoardDialog({ request: { boardId }, onClose }: DialogBodyProps<'removeBoard'>) {
  const { data: board } = useOperationQuery('boards.get', { boardId });
  const navigate = useNavigate();
  const remove = useOperationMutation('boards.remove', {
    onSuccess: () => {
      onClose();
      void navigate({ to: '/boards' });
    },
    onLateSuccess: () => toast({ kind: 'plain', title: 'Board removed', text: 'Its worktrees remain.' }),
    onLateError: failureToast('Could not remove the board'),
  });
  return (
    <Dialog
      actions={
        <>
          <Button data-way-out onClick={onClose}>
            Cancel
          </Button>
          <MainButton busy={remove.isPending} kind="danger" onClick={() => remove.mutate({ boardId })}>
            Remove board
          </MainButton>
        </>
      }
      onClose={onClose}
      problem={<Problem error={remove.error} />}
      title={`Remove board ${board === undefined ? '' : `“${isolateText(board.name)}”`}?`}
    >
      <p>
        This permanently removes the board
        {board === undefined || board.zones.length === 0 ? '' : `, its ${count(board.zones.length, 'zone')}`} and the
        places of the work on it. The worktrees and sessions are kept.
      </p>
    </Dialog>
  );
}

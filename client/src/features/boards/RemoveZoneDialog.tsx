import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, MainButton } from '../../ui/Dialog.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Problem } from '../../ui/Problem.tsx';
import { failureToast } from '../../ui/toasts.ts';

/** Confirms the removal of a zone. */
export default function RemoveZoneDialog({ request, onClose }: DialogBodyProps<'removeZone'>) {
  const { boardId, zoneId } = request;
  const { data: board } = useOperationQuery('boards.get', { boardId });
  const zone = board?.zones.find(({ id }) => id === zoneId);
  const remove = useOperationMutation('zones.remove', {
    onSuccess: onClose,
    onLateError: failureToast('Could not remove the zone'),
  });
  return (
    <Dialog
      actions={
        <>
          <Button data-way-out onClick={onClose}>
            Cancel
          </Button>
          <MainButton busy={remove.isPending} kind="danger" onClick={() => remove.mutate({ zoneId })}>
            Remove zone
          </MainButton>
        </>
      }
      onClose={onClose}
      problem={<Problem error={remove.error} />}
      title={`Remove zone ${zone === undefined ? '' : `“${isolateText(zone.name)}”`}?`}
    >
      <p>Its cards stay on the board, without a zone.</p>
    </Dialog>
  );
}

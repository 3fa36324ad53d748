import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { failureToast } from '../../ui/toasts.ts';

export default function RemoveZoneDialog({ request, onClose }: DialogBodyProps<'removeZone'>) {
  const { boardId, zoneId } = request;
  const { data: board } = useOperationQuery('boards.get', { boardId });
  const zone = board?.zones.find(({ id }) => id === zoneId);
  const remove = useOperationMutation('zones.remove', {
    onSuccess: onClose,
    onLateError: failureToast('Could not remove the zone'),
  });
  return (
    <ConfirmDialog
      busy={remove.isPending}
      confirm="Remove zone"
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate({ zoneId })}
      title={`Remove zone ${zone === undefined ? '' : `“${isolateText(zone.name)}”`}?`}
    >
      <p>The cards in the zone stay on the board, without a zone.</p>
    </ConfirmDialog>
  );
}

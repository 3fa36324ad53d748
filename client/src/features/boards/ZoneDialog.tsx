import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { FormProblem } from '../../ui/Problem.tsx';
import { useForm } from '../../ui/use-form.ts';

/** Gap between zones, in board units. */
const GAP = 40;

/** Dialog that adds a zone at the right end of a board, or renames a zone. */
export default function ZoneDialog({ request: { boardId, zoneId }, onClose }: DialogBodyProps<'zone'>) {
  const { data: board } = useOperationQuery('boards.get', { boardId });
  const zone = board?.zones.find(({ id }) => id === zoneId);
  const create = useOperationMutation('zones.create', { onSuccess: onClose });
  const update = useOperationMutation('zones.update', { onSuccess: onClose });
  const { error, isPending } = zoneId === undefined ? create : update;
  const { values, names, field } = useForm({ name: zone?.name ?? '' }, error);
  const name = values.name.trim();
  const x = Math.max(0, ...(board?.zones ?? []).map((each) => each.x + each.width + GAP));
  return (
    <FormDialog
      busy={isPending}
      onClose={onClose}
      onSubmit={() => (zoneId === undefined ? create.mutate({ boardId, name, x }) : update.mutate({ zoneId, name }))}
      problem={<FormProblem error={error} fields={names} />}
      submit={zoneId === undefined ? 'Add zone' : 'Save'}
      title={zoneId === undefined ? 'Add zone' : 'Rename zone'}
    >
      <TextField {...field('name', 'Enter a name.')} autoFocus label="Name" placeholder="Review" />
    </FormDialog>
  );
}

import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { Checkbox, TextAreaField, TextField } from '../../ui/Field.tsx';
import { FormProblem } from '../../ui/Problem.tsx';
import { useForm } from '../../ui/use-form.ts';

/** Zones suggested for a new board. */
const EXAMPLE_ZONES = ['Next', 'In progress', 'Review', 'Done'];

/** Dialog that creates, renames or duplicates a board. */
export default function BoardDialog({ request: { boardId, duplicate = false }, onClose }: DialogBodyProps<'board'>) {
  const navigate = useNavigate();
  const open = ({ id }: { id: string }) => {
    onClose();
    void navigate({ to: '/boards/$boardId', params: { boardId: id } });
  };
  const board = useOperationQuery('boards.get', { boardId: boardId ?? '' }, { enabled: boardId !== undefined });
  const create = useOperationMutation('boards.create', { onSuccess: open });
  const update = useOperationMutation('boards.update', { onSuccess: onClose });
  const copy = useOperationMutation('boards.duplicate', { onSuccess: open });
  const [includeWorktrees, setIncludeWorktrees] = useState(false);
  const isNew = boardId === undefined;
  const { error, isPending } = isNew ? create : duplicate ? copy : update;
  const known = board.data?.name ?? '';
  const stored = {
    name: duplicate && known !== '' ? `${known} copy` : known,
    zones: EXAMPLE_ZONES.join('\n'),
    description: board.data?.description ?? '',
  };
  const { values, names, field } = useForm(stored, error);
  const name = values.name.trim();
  const send = () => {
    if (isNew) {
      const zones = values.zones.split('\n').flatMap((zone) => zone.trim() || []);
      create.mutate({ name, zones });
    } else if (duplicate) copy.mutate({ boardId, newName: name, includeWorktrees });
    else update.mutate({ boardId, name, description: values.description });
  };
  return (
    <FormDialog
      busy={isPending}
      hint={isPending && includeWorktrees ? <span role="status">Copying worktrees…</span> : null}
      onClose={onClose}
      onSubmit={send}
      problem={<FormProblem error={error} fields={[...names, 'newName']} />}
      submit={isNew ? 'Create board' : duplicate ? 'Duplicate' : 'Save'}
      title={isNew ? 'New board' : duplicate ? 'Duplicate board' : 'Edit board'}
    >
      <TextField {...field('name', 'Enter a name.')} autoFocus label="Name" placeholder="Release 2.0" />
      {isNew ? (
        <TextAreaField
          {...field('zones')}
          hint="One zone per line. Zones are the columns of the board and can be changed later."
          label="Zones"
          rows={4}
        />
      ) : null}
      {isNew || duplicate ? null : <TextAreaField {...field('description')} label="Description" optional rows={2} />}
      {duplicate ? (
        <Checkbox
          checked={includeWorktrees}
          hint="Only worktrees that the console created are copied. Each copy gets a new branch at the last commit of the original. Uncommitted changes are not copied."
          label="Copy the worktrees too"
          onChange={setIncludeWorktrees}
        />
      ) : null}
    </FormDialog>
  );
}

import type { Worktree } from '@agent-console/shared/models/worktree';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { TextField } from '../../ui/Field.tsx';
import { FormProblem } from '../../ui/Problem.tsx';
import { failureToast } from '../../ui/toasts.ts';
import { useForm } from '../../ui/use-form.ts';

export default function RenameWorktreeDialog({ request, onClose }: DialogBodyProps<'renameWorktree'>) {
  const { data } = useOperationQuery('worktrees.get', { worktreeId: request.worktreeId });
  return data === undefined ? null : <RenameForm onClose={onClose} worktree={data} />;
}

function RenameForm({ worktree, onClose }: { worktree: Worktree; onClose(): void }) {
  const update = useOperationMutation('worktrees.update', {
    onSuccess: onClose,
    onLateError: failureToast('Could not rename the worktree'),
  });
  const { values, names, field } = useForm({ name: worktree.name }, update.error);
  return (
    <FormDialog
      busy={update.isPending}
      onClose={onClose}
      onSubmit={() => update.mutate({ worktreeId: worktree.id, name: values.name.trim() })}
      problem={<FormProblem error={update.error} fields={names} />}
      submit="Save"
      title="Rename worktree"
    >
      <TextField
        {...field('name', 'Enter a name.')}
        autoFocus
        hint="The worktree's folder and branch keep their names."
        label="Name"
        onFocus={(event) => event.target.select()}
      />
    </FormDialog>
  );
}

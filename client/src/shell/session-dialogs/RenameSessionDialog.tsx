import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { useSession } from '../../features/sessions/sessions-store.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { TextAreaField, TextField } from '../../ui/Field.tsx';
import { FormProblem, issuesOf } from '../../ui/Problem.tsx';
import type { DialogRequest } from '../dialogs.ts';

/** Edits title and description of a session. */
export default function RenameSessionDialog({
  request: { sessionId },
  onClose,
}: {
  request: Extract<DialogRequest, { kind: 'renameSession' }>;
  onClose(): void;
}) {
  const session = useSession(sessionId);
  const [title, setTitle] = useState(session?.title ?? '');
  const [description, setDescription] = useState(session?.description ?? '');
  const update = useOperationMutation('sessions.update', { onSuccess: onClose });
  const issues = issuesOf(update.error);
  return (
    <FormDialog
      busy={update.isPending}
      onClose={onClose}
      onSubmit={() => update.mutate({ sessionId, title: title.trim(), description })}
      problem={<FormProblem error={update.error} fields={['title', 'description']} />}
      submit="Save"
      title="Rename session"
    >
      <TextField
        error={issues.title}
        hint="Leave empty to use the branch or folder name."
        label="Title"
        autoFocus
        onChange={setTitle}
        onFocus={(event) => event.target.select()}
        value={title}
      />
      <TextAreaField
        error={issues.description}
        label="Description"
        optional
        onChange={setDescription}
        rows={3}
        value={description}
      />
    </FormDialog>
  );
}

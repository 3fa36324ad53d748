import type { Session } from '@agent-console/shared/models/session';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { useAnySession } from '../../features/sessions/any-session.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { TextAreaField, TextField } from '../../ui/Field.tsx';
import { FormProblem } from '../../ui/Problem.tsx';
import { useForm } from '../../ui/use-form.ts';
import type { DialogBodyProps } from '../dialogs.ts';

/** Edits title and description of a session. */
export default function RenameSessionDialog({ request, onClose }: DialogBodyProps<'renameSession'>) {
  const session = useAnySession(request.sessionId);
  return session === undefined ? null : <RenameForm onClose={onClose} session={session} />;
}

function RenameForm({ session, onClose }: { session: Session; onClose(): void }) {
  const [stored] = useState({ title: session.title, description: session.description });
  const update = useOperationMutation('sessions.update', { onSuccess: onClose });
  const { values, names, field } = useForm(stored, update.error);
  return (
    <FormDialog
      busy={update.isPending}
      onClose={onClose}
      onSubmit={() =>
        update.mutate({ sessionId: session.id, title: values.title.trim(), description: values.description })
      }
      problem={<FormProblem error={update.error} fields={names} />}
      submit="Save"
      title="Rename session"
    >
      <TextField
        {...field('title')}
        hint="Leave empty to use the branch or folder name."
        label="Title"
        autoFocus
        onFocus={(event) => event.target.select()}
      />
      <TextAreaField {...field('description')} label="Description" optional rows={3} />
    </FormDialog>
  );
}

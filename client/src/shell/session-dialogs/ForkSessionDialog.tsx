import { useOperationMutation } from '../../api/operations.ts';
import { sessionName } from '../../features/sessions/badge.ts';
import { useOpenSession } from '../../features/sessions/page/session-views.ts';
import { useSession } from '../../features/sessions/sessions-store.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { TextAreaField } from '../../ui/Field.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { FormProblem } from '../../ui/Problem.tsx';
import { failureToast, toast } from '../../ui/toasts.ts';
import { useForm } from '../../ui/use-form.ts';
import type { DialogBodyProps } from '../dialogs.ts';

/** Dialog that starts a session with a copy of another session's conversation. */
export default function ForkSessionDialog({ request, onClose }: DialogBodyProps<'forkSession'>) {
  const { sessionId, taskId } = request;
  const session = useSession(sessionId);
  const openSession = useOpenSession();
  const fork = useOperationMutation('sessions.fork', {
    onSuccess: ({ sessionId: forked }) => {
      onClose();
      openSession(forked);
    },
    onLateSuccess: ({ sessionId: forked }) =>
      toast({ kind: 'plain', title: 'Session forked', action: { label: 'Open', run: () => openSession(forked) } }),
    onLateError: failureToast('Could not fork the session'),
  });
  const { values, names, field } = useForm({ prompt: '' }, fork.error);
  return (
    <FormDialog
      busy={fork.isPending}
      onClose={onClose}
      onSubmit={() => fork.mutate({ sessionId, prompt: values.prompt, ...(taskId === undefined ? {} : { taskId }) })}
      problem={<FormProblem error={fork.error} fields={names} />}
      submit="Fork session"
      title={session === undefined ? 'Fork session' : `Fork “${isolateText(sessionName(session))}”`}
    >
      <TextAreaField
        {...field('prompt')}
        autoFocus
        hint={
          taskId === undefined
            ? 'The new session starts with a copy of the whole conversation and works in the same folder.'
            : 'The new session starts with a copy of the conversation up to the end of this turn and works in the same folder.'
        }
        label="What should the fork do?"
        rows={4}
      />
    </FormDialog>
  );
}

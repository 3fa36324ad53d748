import { useNavigate, useParams } from '@tanstack/react-router';
import { useOperationMutation } from '../../api/operations.ts';
import { sessionName } from '../../features/sessions/badge.ts';
import { useSession } from '../../features/sessions/sessions-store.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog, MainButton } from '../../ui/Dialog.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { Problem } from '../../ui/Problem.tsx';
import { failureToast, toast } from '../../ui/toasts.ts';
import type { DialogBodyProps } from '../dialogs.ts';

/** Confirms the permanent removal of a session. */
export default function RemoveSessionDialog({ request: { sessionId }, onClose }: DialogBodyProps<'removeSession'>) {
  const session = useSession(sessionId);
  const { sessionId: shown } = useParams({ strict: false });
  const navigate = useNavigate();
  const remove = useOperationMutation('sessions.remove', {
    onSuccess: () => {
      onClose();
      if (shown === sessionId) void navigate({ to: '/sessions' });
    },
    onLateSuccess: () => toast({ kind: 'plain', title: 'Session removed' }),
    onLateError: failureToast('Could not remove the session'),
  });
  const stop = useOperationMutation('sessions.stop', { onSuccess: () => remove.mutate({ sessionId }) });
  const archive = useOperationMutation('sessions.archive', { onSuccess: onClose });
  const isLive = remove.error?.code === 'CONFLICT';
  return (
    <Dialog
      actions={
        <>
          <Button data-way-out onClick={onClose}>
            Cancel
          </Button>
          <Button busy={archive.isPending} onClick={() => archive.mutate({ sessionId })}>
            Archive instead
          </Button>
          <MainButton
            busy={remove.isPending}
            disabled={isLive}
            kind="danger"
            onClick={() => remove.mutate({ sessionId })}
          >
            Remove session
          </MainButton>
        </>
      }
      onClose={onClose}
      problem={
        <Problem error={stop.error ?? archive.error ?? remove.error}>
          {isLive ? (
            <MainButton busy={stop.isPending} kind="normal" onClick={() => stop.mutate({ sessionId })}>
              Stop and remove
            </MainButton>
          ) : null}
        </Problem>
      }
      title={`Remove ${session === undefined ? 'this session' : `“${isolateText(sessionName(session))}”`}?`}
    >
      <div className="flex flex-col gap-2">
        <p>
          This permanently deletes its tasks, its conversation
          {session === undefined ? '' : ` (${session.messageCount.toLocaleString()} messages)`} and its terminal output.
        </p>
        <p className="text-quiet">
          {session?.worktreeId === null
            ? 'Its files are kept.'
            : 'Its worktree and branch are kept. Remove them on the repository page.'}
        </p>
      </div>
    </Dialog>
  );
}

import { pluralize } from '@agent-console/shared/pluralize';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useOperationMutation } from '../../api/operations.ts';
import { useAnySession } from '../../features/sessions/any-session.ts';
import { sessionName } from '../../features/sessions/badge.ts';
import { actionsOf } from '../../features/sessions/page/offered-actions.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { failureToast, toast } from '../../ui/toasts.ts';
import type { DialogBodyProps } from '../dialogs.ts';

/** Asks for confirmation, stops the session if processes of it are running, and then removes it permanently. */
export default function RemoveSessionDialog({ request: { sessionId }, onClose }: DialogBodyProps<'removeSession'>) {
  const session = useAnySession(sessionId);
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
  const stop = useOperationMutation('sessions.stop', {
    onSuccess: () => remove.mutate({ sessionId }),
    onLateSuccess: () => toast({ kind: 'plain', title: 'Session stopped, but not removed' }),
    onLateError: failureToast('Could not stop the session'),
  });
  const archive = useOperationMutation('sessions.archive', { onSuccess: onClose });
  const { isBusy = false, canArchive = false } = session === undefined ? {} : actionsOf(session);
  const count = session?.messageCount;
  const messages = count === undefined ? '' : ` (${pluralize(count, 'message')})`;
  return (
    <ConfirmDialog
      busy={remove.isPending || stop.isPending}
      confirm={isBusy ? 'Stop and remove' : 'Remove session'}
      error={stop.error ?? archive.error ?? remove.error}
      onClose={onClose}
      onConfirm={() => (isBusy ? stop : remove).mutate({ sessionId })}
      otherWays={
        canArchive ? (
          <Button busy={archive.isPending} onClick={() => archive.mutate({ sessionId })}>
            Archive instead
          </Button>
        ) : null
      }
      title={`Remove ${session === undefined ? 'this session' : `“${isolateText(sessionName(session))}”`}?`}
    >
      <div className="flex flex-col gap-2">
        {isBusy ? <p>The agent or a terminal of this session is still running and will be stopped first.</p> : null}
        <p>{`This permanently deletes the session's tasks, conversation${messages} and terminal output.`}</p>
        <p className="text-quiet">
          {session?.worktreeId === null
            ? "The files in the session's folder are kept."
            : 'The worktree and its branch are kept. On the repository page, you can remove worktrees that the console created.'}
        </p>
      </div>
    </ConfirmDialog>
  );
}

import { useOperationQuery } from '../../api/operations.ts';
import type { DialogBodyProps } from '../../shell/dialogs.ts';
import { LoadingDialog } from '../../ui/Dialog.tsx';
import DelegateDialog from '../delegations/DelegateDialog.tsx';
import { likeThis } from './new-like-this.ts';
import StartSessionDialog from './StartSessionDialog.tsx';

/** Dialog that starts or delegates a session with the settings of an existing session. */
export default function NewLikeThisDialog({ request: { sessionId }, onClose }: DialogBodyProps<'newLikeThis'>) {
  const { data, error } = useOperationQuery('sessions.get', { sessionId });
  const worktreeId = data?.worktreeId ?? null;
  const worktree = useOperationQuery(
    'worktrees.get',
    { worktreeId: worktreeId ?? '' },
    { enabled: worktreeId !== null },
  );
  // If the worktree no longer exists, the dialog opens with the main checkout of the repository instead.
  const isReady = worktreeId === null || worktree.data !== undefined || worktree.error !== null;
  if (data === undefined || !isReady) {
    return <LoadingDialog error={error} onClose={onClose} title="New session like this" />;
  }
  const request = likeThis(data, worktree.data ?? null);
  return request.kind === 'delegate' ? (
    <DelegateDialog onClose={onClose} request={request} />
  ) : (
    <StartSessionDialog onClose={onClose} request={request} />
  );
}

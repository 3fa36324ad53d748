import { shortId } from '@agent-console/shared/ids';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction, useAnswer } from '../../api/operations.ts';
import type { DialogRequest } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { toast } from '../../ui/toasts.ts';
import { Losses, type Lost } from './Losses.tsx';

/** Removes a worktree; what would be lost is shown first, and it can be brought back. */
export default function RemoveWorktreeDialog({
  request: { worktreeId },
  onClose,
}: {
  request: Extract<DialogRequest, { kind: 'removeWorktree' }>;
  onClose(): void;
}) {
  const navigate = useNavigate();
  const { data: worktree } = useAnswer('worktrees.get', { worktreeId });
  const remove = useAction('worktrees.remove');
  const [lost, setLost] = useState<Lost>();
  const force = lost !== undefined;
  const tryToRemove = () =>
    remove.mutate(
      { worktreeId, force },
      {
        onError: ({ details }) => {
          if (details.lost !== undefined) setLost(details.lost as Lost);
        },
      },
    );
  const stop = useAction('sessions.stop', { onSuccess: tryToRemove });
  const restore = useAction('worktrees.restore', {
    onSuccess: ({ name }) => {
      onClose();
      toast({ kind: 'plain', title: `Worktree ${name} is back` });
    },
  });
  const name = worktree?.name ?? shortId(worktreeId);

  if (remove.data !== undefined) {
    const { leftOut, warnings } = remove.data;
    return (
      <Dialog
        footer={
          <div className="flex flex-col gap-3">
            <Problem error={restore.error} />
            <div className="flex justify-end gap-2">
              <Button busy={restore.isPending} onClick={() => restore.mutate({ worktreeId })}>
                Restore
              </Button>
              <Button kind="primary" onClick={onClose}>
                Done
              </Button>
            </div>
          </div>
        }
        onClose={onClose}
        title={`${name} is removed`}
      >
        <div className="flex flex-col gap-3">
          <p role="status">What it held is saved for 30 days; Restore brings the worktree back as it was.</p>
          {leftOut.length > 0 ? <p className="text-needs">Too large to save: {leftOut.join(', ')}</p> : null}
          {warnings.map((warning) => (
            <p className="text-needs" key={warning}>
              {warning}
            </p>
          ))}
        </div>
      </Dialog>
    );
  }

  const { error } = remove;
  const live = error?.details.sessionId;
  return (
    <Dialog
      footer={
        <div className="flex flex-col gap-3">
          <Problem error={stop.error ?? error} />
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={onClose}>Cancel</Button>
            {typeof live === 'string' ? (
              <>
                <Button
                  onClick={() => {
                    onClose();
                    void navigate({ to: '/sessions/$sessionId', params: { sessionId: live } });
                  }}
                >
                  Open the session
                </Button>
                <Button busy={stop.isPending} kind="danger" onClick={() => stop.mutate({ sessionId: live })}>
                  Stop it and go on
                </Button>
              </>
            ) : (
              <Button busy={remove.isPending} kind="danger" onClick={tryToRemove}>
                {force ? 'Remove anyway' : 'Remove'}
              </Button>
            )}
          </div>
        </div>
      }
      onClose={onClose}
      title={`Remove ${name}?`}
      width={lost === undefined ? 'narrow' : 'wide'}
    >
      {lost === undefined ? (
        <div className="flex flex-col gap-2">
          <p>
            The folder and, where the console made it, the branch go. Nothing is removed before you have seen what it
            holds.
          </p>
          {worktree === undefined ? null : (
            <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-quiet">
              <dt>Branch</dt>
              <dd className="truncate font-mono text-sm text-text">{worktree.branch ?? 'detached'}</dd>
              <dt>Folder</dt>
              <dd className="break-all font-mono text-sm text-text">{worktree.path}</dd>
            </dl>
          )}
        </div>
      ) : (
        <Losses lost={lost} />
      )}
    </Dialog>
  );
}

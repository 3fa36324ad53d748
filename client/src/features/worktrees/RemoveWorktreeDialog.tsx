import { shortId } from '@agent-console/shared/ids';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction, useAnswer } from '../../api/operations.ts';
import type { DialogRequest } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Given, GivenLine, GivenText } from '../../ui/Given.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { toast } from '../../ui/toasts.ts';
import { amongWords } from '../../ui/visible.ts';
import { Losses } from './Losses.tsx';
import { type Lost, lossesOf } from './lost.ts';

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
    onSuccess: ({ name, warnings }) => {
      onClose();
      const title = `Worktree ${amongWords(name)} is back`;
      toast({ kind: 'plain', title, ...(warnings.length > 0 ? { text: amongWords(warnings.join(' ')) } : {}) });
    },
  });
  const name = amongWords(worktree?.name ?? shortId(worktreeId));

  if (remove.data !== undefined) {
    const { lost: held, leftOut, warnings, recoveryRef } = remove.data;
    const losses = lossesOf({ ...held, leftOut }, remove.data.worktree.branch);
    const gone = losses.filter((loss) => loss.gone);
    const isSaved = losses.some(({ fate }) => fate.startsWith('saved'));
    return (
      <Dialog
        footer={
          <div className="flex flex-col gap-3">
            <Problem error={restore.error} />
            <div className="flex justify-end gap-2">
              {recoveryRef === null ? null : (
                <Button busy={restore.isPending} onClick={() => restore.mutate({ worktreeId })}>
                  Restore
                </Button>
              )}
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
          <p role="status">
            {recoveryRef === null
              ? 'There was nothing left of it to save.'
              : isSaved
                ? 'What it held is saved for 30 days; Restore brings the worktree back with it.'
                : 'Restore brings the worktree back as its last commit has it.'}
            {gone.length > 0 ? ' These are gone:' : ''}
          </p>
          <Losses losses={gone} more={0} />
          {warnings.map((warning) => (
            <GivenText className="text-needs" key={warning} text={warning} />
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
            <Button data-way-out onClick={onClose}>
              Cancel
            </Button>
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
            The folder goes; the branch stays. Changes, files that git does not know yet and commits that are nowhere
            else are shown to you first.
          </p>
          <p>
            Of what git ignores, small files such as .env are saved for 30 days; folders such as node_modules are not.
          </p>
          {worktree === undefined ? null : (
            <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-quiet">
              <dt>Branch</dt>
              <dd className="min-w-0 font-mono text-sm text-text">
                <GivenLine text={worktree.branch ?? 'detached'} />
              </dd>
              <dt>Folder</dt>
              <dd className="break-all font-mono text-sm text-text">
                <Given text={worktree.path} />
              </dd>
            </dl>
          )}
        </div>
      ) : (
        <Losses losses={lossesOf(lost, worktree?.branch ?? null)} more={lost.more} />
      )}
    </Dialog>
  );
}

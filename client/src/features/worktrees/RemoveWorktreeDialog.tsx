import { shortId } from '@agent-console/shared/ids';
import type { OutputOf } from '@agent-console/shared/operations/table';
import { useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { type DialogBodyProps, openDialog } from '../../shell/dialogs.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Dialog, MainButton } from '../../ui/Dialog.tsx';
import { escapeHidden, isolateText } from '../../ui/hidden-characters.ts';
import { Problem } from '../../ui/Problem.tsx';
import { failureToast, toast } from '../../ui/toasts.ts';
import { UntrustedBlock, UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';
import { useOpenSession } from '../sessions/page/session-views.ts';
import { groupLosses, type LossGroup, type RemovalLosses } from './removal-losses.ts';

/** Dialog that removes a worktree after showing what would be lost, and then offers to restore the worktree. */
export default function RemoveWorktreeDialog({ request: { worktreeId }, onClose }: DialogBodyProps<'removeWorktree'>) {
  const openSession = useOpenSession();
  const { data: worktree } = useOperationQuery('worktrees.get', { worktreeId });
  const name = isolateText(worktree?.name ?? shortId(worktreeId));
  const announce = ({ name: restored, warnings }: OutputOf<'worktrees.restore'>) => {
    const title = `Worktree ${isolateText(restored)} restored`;
    toast({ kind: 'plain', title, ...(warnings.length > 0 ? { text: isolateText(warnings.join(' ')) } : {}) });
  };
  const restore = useOperationMutation('worktrees.restore', {
    onSuccess: (restored) => {
      onClose();
      announce(restored);
    },
    onLateSuccess: announce,
    onLateError: failureToast('Could not restore the worktree'),
  });
  const remove = useOperationMutation('worktrees.remove', {
    onLateSuccess: ({ recoveryRef }) =>
      toast({
        kind: 'plain',
        title: `Worktree ${name} removed`,
        ...(recoveryRef === null ? {} : { action: { label: 'Restore', run: () => restore.mutate({ worktreeId }) } }),
      }),
    onLateError: failureToast('Could not remove the worktree'),
  });
  const [lost, setLost] = useState<RemovalLosses>();
  /** The folder that git can no longer read. */
  const [unreadable, setUnreadable] = useState<string>();
  // Git may have become able to read the folder since. So the removal is forced only if git still cannot read it, and
  // the losses are listed otherwise.
  const tryToRemove = (force = lost !== undefined) =>
    remove.mutate(
      { worktreeId, force },
      {
        onError: ({ details }) => {
          if (details.lost !== undefined) setLost(details.lost as RemovalLosses);
          const folder = typeof details.unreadable === 'string' ? details.unreadable : undefined;
          setUnreadable(folder);
          if (folder !== undefined && unreadable !== undefined) tryToRemove(true);
        },
      },
    );
  const stop = useOperationMutation('sessions.stop', {
    onSuccess: () => tryToRemove(),
    onLateSuccess: () => toast({ kind: 'plain', title: 'Session stopped, worktree kept' }),
    onLateError: failureToast('Could not stop the session'),
  });

  if (remove.data !== undefined) {
    const { lost: contents, leftOut, warnings, recoveryRef } = remove.data;
    const losses = groupLosses({ ...contents, leftOut }, remove.data.worktree.branch);
    const unsaved = losses.filter((loss) => loss.gone);
    const isSaved = losses.some(({ fate }) => fate.startsWith('saved'));
    return (
      <Dialog
        actions={
          <>
            {recoveryRef === null ? null : (
              <Button busy={restore.isPending} onClick={() => restore.mutate({ worktreeId })}>
                Restore
              </Button>
            )}
            <MainButton onClick={onClose}>Done</MainButton>
          </>
        }
        onClose={onClose}
        problem={<Problem error={restore.error} />}
        title={`Worktree ${name} removed`}
      >
        <div className="flex flex-col gap-3">
          <p role="status">
            {recoveryRef === null
              ? 'Nothing was saved.'
              : isSaved
                ? 'The contents of the worktree are saved for 30 days. You can restore the worktree with them.'
                : 'You can restore the worktree at its last commit.'}
            {unsaved.length > 0 ? ' Not saved:' : ''}
          </p>
          <Losses losses={unsaved} more={0} />
          {warnings.map((warning) => (
            <UntrustedBlock className="text-needs" key={warning} text={warning} />
          ))}
        </div>
      </Dialog>
    );
  }

  const { error } = remove;
  const live = error?.details.sessionId;
  const isLive = typeof live === 'string';
  return (
    <ConfirmDialog
      busy={isLive ? stop.isPending : remove.isPending}
      confirm={
        isLive
          ? 'Stop session and remove'
          : lost !== undefined || unreadable !== undefined
            ? 'Remove anyway'
            : 'Remove worktree'
      }
      // What would be lost, or the folder that git cannot read, is shown below instead of the error.
      error={
        stop.error ?? (error?.details.lost === undefined && error?.details.unreadable === undefined ? error : null)
      }
      onClose={onClose}
      onConfirm={() => (isLive ? stop.mutate({ sessionId: live }) : tryToRemove())}
      otherWays={
        isLive ? (
          <Button
            onClick={() => {
              onClose();
              openSession(live);
            }}
          >
            Open session
          </Button>
        ) : null
      }
      title={`Remove worktree ${name}?`}
      width={lost === undefined ? 'narrow' : 'wide'}
    >
      {lost === undefined ? (
        <div className="flex flex-col gap-2">
          {unreadable !== undefined ? (
            <p role="status">
              git can no longer read <UntrustedText className="break-words font-mono text-sm" text={unreadable} />, so
              the worktree cannot be saved. Restore that folder first, or remove the worktree anyway. Whatever is still
              in the worktree's folder is kept.
            </p>
          ) : (
            <>
              <p>
                The folder is deleted. The branch is kept. If there are uncommitted changes, untracked files or unpushed
                commits, you see them before anything is removed.
              </p>
              <p>
                Small ignored files such as .env are saved for 30 days. Ignored folders such as node_modules are not.
              </p>
            </>
          )}
          {worktree === undefined ? null : (
            <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-quiet">
              <dt>Branch</dt>
              <dd className="min-w-0 font-mono text-sm text-text">
                <UntrustedLine text={worktree.branch ?? 'detached'} />
              </dd>
              <dt>Folder</dt>
              <dd className="break-all font-mono text-sm text-text">
                <UntrustedText text={worktree.path} />
              </dd>
            </dl>
          )}
        </div>
      ) : (
        <div className="flex flex-col gap-3">
          <p role="status">
            This worktree contains work that exists nowhere else. Commit or merge the work first, or remove the worktree
            anyway.
          </p>
          <div className="flex gap-2">
            {lost.uncommitted.length + lost.untracked.length === 0 ? null : (
              <Button onClick={() => openDialog({ kind: 'commit', worktreeId })}>Commit…</Button>
            )}
            <Button onClick={() => openDialog({ kind: 'merge', worktreeId })}>Merge…</Button>
          </div>
          <Losses losses={groupLosses(lost, worktree?.branch ?? null)} more={lost.more} />
        </div>
      )}
    </ConfirmDialog>
  );
}

const SHOWN_MAX = 8;

/** Contents of the worktree, grouped by kind and by what happens to them. */
function Losses({ losses, more }: { losses: readonly LossGroup[]; more: number }) {
  return (
    <div className="flex flex-col gap-3">
      {losses.map((loss) => (
        <Group key={loss.title} {...loss} />
      ))}
      {more > 0 ? <p className="text-quiet">{`and ${more.toLocaleString()} more`}</p> : null}
    </div>
  );
}

function Group({ title, fate, items, gone }: LossGroup) {
  return (
    <section aria-label={title}>
      <h3 className="flex gap-2 font-medium">
        {title}
        <span className="tabular-nums text-quiet">{items.length.toLocaleString()}</span>
        <span className={`ml-auto shrink-0 font-normal ${gone ? 'text-needs' : 'text-quiet'}`}>{fate}</span>
      </h3>
      <ul className="mt-1 rounded-md border border-line bg-sunken px-2 py-1 font-mono text-sm">
        {items.slice(0, SHOWN_MAX).map((item) => (
          <li key={item} title={escapeHidden(item)}>
            <UntrustedLine text={item} />
          </li>
        ))}
        {items.length > SHOWN_MAX ? (
          <li className="text-quiet">{`and ${(items.length - SHOWN_MAX).toLocaleString()} more`}</li>
        ) : null}
      </ul>
    </section>
  );
}

import type { Worktree } from '@agent-console/shared/models/worktree';
import { type ReactNode, useId } from 'react';
import { useOperationQuery } from '../../api/operations.ts';
import { type DialogRequest, openDialog } from '../../shell/dialogs.ts';
import { useKeyHints } from '../../shell/key-hints.ts';
import type { ShortcutId } from '../../shell/shortcut-labels.ts';
import { KEYS } from '../../shell/shortcut-table.ts';
import { shortcutsOf, useShortcuts } from '../../shell/shortcuts.ts';
import { Button } from '../../ui/Button.tsx';
import { toast } from '../../ui/toasts.ts';
import { UntrustedText } from '../../ui/UntrustedText.tsx';
import { RunCheck } from './CheckFact.tsx';
import { runCheck } from './check.ts';
import { type FinishAction, finishActions } from './finish-actions.ts';
import { LastIntegration, useLastIntegration } from './LastIntegration.tsx';
import { PullRequestFact } from './PullRequestLink.tsx';
import { undoIntegration } from './undo.ts';
import { useWorktree } from './use-worktree.ts';
import { WorkFacts } from './WorkFacts.tsx';

/**
 * Status of a worktree's work compared with its base, and actions such as commit, merge and push. When `changes` (the
 * diff) changes, the status is fetched again.
 */
export function FinishBar({ worktreeId, changes }: { worktreeId: string; changes: unknown }) {
  const { data: worktree } = useWorktree(worktreeId, changes);
  const repositoryId = worktree?.repositoryId ?? '';
  const last = useLastIntegration(repositoryId, worktreeId);
  const { reasons, next } = finishActions(worktree);
  const run = (action: FinishAction, title: string, dialog: DialogRequest) => {
    const reason = reasons[action];
    if (reason === undefined) openDialog(dialog);
    else toast({ id: 'finish', kind: 'plain', title, text: reason });
  };
  const commit = () => run('commit', 'Cannot commit now', { kind: 'commit', worktreeId });
  const discard = () => run('discard', 'Cannot discard now', { kind: 'discard', worktreeId });
  const update = () => run('update', 'Cannot update now', { kind: 'updateFromBase', worktreeId });
  const merge = () => run('merge', 'Cannot merge now', { kind: 'merge', worktreeId });
  const push = () => run('push', 'Cannot push now', { kind: 'push', worktreeId });
  const undo = () => {
    if (last?.undoableUntil != null) void undoIntegration(last);
    else toast({ id: 'finish', kind: 'plain', title: 'There is no merge to undo' });
  };
  useShortcuts(
    shortcutsOf(KEYS.finish, {
      commit,
      'discard-uncommitted-changes': discard,
      'update-from-the-base-branch': update,
      merge,
      'push-or-create-a-pull-request': push,
      'run-the-check-command': () => void runCheck(worktreeId),
      'undo-the-last-merge': undo,
    }),
  );
  // The height is reserved, so that the lines of the diff do not move when the status arrives.
  return (
    <section
      aria-label="Commit, merge and push"
      className="@container shrink-0 border-t border-line bg-sunken [anchor-name:--finish]"
    >
      <div className="flex min-h-19 flex-wrap items-center gap-x-4 gap-y-1.5 px-3 py-1.5 @min-[900px]:min-h-11">
        {worktree === undefined ? null : (
          <>
            <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 gap-y-0.5 text-sm text-quiet @max-[900px]:basis-full">
              <Branches worktree={worktree} />
              <Facts worktree={worktree} />
              {reasons.discard === undefined ? <Discard onPress={discard} /> : null}
              <LastIntegration integration={last} onUndo={undo} />
            </div>
            <div className="ml-auto flex flex-wrap justify-end gap-1.5">
              <Action isNext={next === 'commit'} shortcut="commit" onPress={commit} reason={reasons.commit}>
                Commit…
              </Action>
              {isOnBase(worktree) ? null : (
                <>
                  <Action
                    isNext={next === 'update'}
                    shortcut="update-from-the-base-branch"
                    onPress={update}
                    reason={reasons.update}
                  >
                    Update…
                  </Action>
                  <Action isNext={next === 'merge'} shortcut="merge" onPress={merge} reason={reasons.merge}>
                    Merge…
                  </Action>
                </>
              )}
              <Action isNext={false} shortcut="push-or-create-a-pull-request" onPress={push} reason={reasons.push}>
                Push…
              </Action>
            </div>
          </>
        )}
      </div>
    </section>
  );
}

/** Whether the worktree's branch is its own base branch, as in the repository's main checkout. */
function isOnBase({ branch, gitStatus }: Worktree): boolean {
  return branch !== null && branch === gitStatus?.base;
}

function Branches({ worktree }: { worktree: Worktree }) {
  const { branch, gitStatus } = worktree;
  const base = gitStatus?.base ?? null;
  return (
    <span className="min-w-0 break-words font-mono text-text">
      <UntrustedText text={branch ?? 'detached'} />
      {base === null || isOnBase(worktree) ? null : (
        <>
          <span className="px-1 text-quiet">→</span>
          <UntrustedText className="text-quiet" text={base} />
        </>
      )}
    </span>
  );
}

function Discard({ onPress }: { onPress(): void }) {
  const { withKeys } = useKeyHints();
  return (
    <button
      className="rounded text-accent hover:underline max-md:py-3"
      onClick={onPress}
      title={withKeys('Discard changes', 'discard-uncommitted-changes')}
      type="button"
    >
      Discard…
    </button>
  );
}

function Facts({ worktree }: { worktree: Worktree }) {
  const { repositoryId } = worktree;
  const { data: repository } = useOperationQuery('repositories.get', { repositoryId });
  const hasCheck = repository !== undefined && repository.checkCommand !== null;
  return (
    <>
      <WorkFacts hasCheck={hasCheck} worktree={worktree} />
      {hasCheck && worktree.gitStatus?.check == null ? <RunCheck worktreeId={worktree.id} /> : null}
      {worktree.pullRequest === null ? null : <PullRequestFact pullRequest={worktree.pullRequest} />}
    </>
  );
}

/**
 * Button of an action, which shows the keys of the action's shortcut. The button of an unavailable action stays
 * focusable, so that the reason can be read.
 */
function Action(props: {
  /** Id of the keyboard shortcut for the same action. */
  shortcut: ShortcutId;
  isNext: boolean;
  reason: string | undefined;
  busy?: boolean;
  onPress(): void;
  children: ReactNode;
}) {
  const { shortcut, isNext, reason, busy = false, onPress, children } = props;
  const keys = useKeyHints().keysOf(shortcut);
  const id = useId();
  return (
    <>
      <Button
        aria-describedby={reason === undefined ? undefined : id}
        aria-disabled={reason !== undefined || busy || undefined}
        aria-keyshortcuts={keys?.replace('⇧', 'Shift+')}
        busy={busy}
        kind={isNext ? 'primary' : 'normal'}
        onClick={onPress}
        title={reason ?? (keys === undefined ? undefined : `Shortcut: ${keys}`)}
      >
        {children}
        <span aria-hidden="true" className="text-sm font-normal max-lg:hidden">
          {keys}
        </span>
      </Button>
      {reason === undefined ? null : (
        <span className="sr-only" id={id}>
          {reason}
        </span>
      )}
    </>
  );
}

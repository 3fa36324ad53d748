import type { Session } from '@agent-console/shared/models/session';
import { openDialog } from '../../../shell/dialogs.ts';
import { Button } from '../../../ui/Button.tsx';
import { AGENT_ACTIONS } from '../page/agent-actions.ts';
import { actionsOf } from '../page/offered-actions.ts';
import { archive, openTerminal, retryTask, stop, unarchive, usePending } from '../page/session-actions.ts';
import { useOpenSession } from '../page/session-views.ts';
import { useCanFork } from '../use-can-fork.ts';
import { OpenInEditor } from './OpenInEditor.tsx';

/** The actions that a person is likely to take next, as buttons. The menu of the session contains all other actions. */
export function ActionsSection({ session }: { session: Session }) {
  const openSession = useOpenSession();
  const canFork = useCanFork();
  const pending = usePending((all) => all[session.id]);
  const { id: sessionId, worktreeId } = session;
  const { agent, retryable, isBusy, isArchived, canArchive, hasWorktree } = actionsOf(session);
  const terminal = async () => {
    const opened = await openTerminal(session);
    if (opened !== undefined) openSession(sessionId, { worker: opened.id }, true);
  };
  return (
    <section aria-label="Actions" className="flex flex-wrap gap-1.5 border-b border-line px-4 py-3">
      {retryable === undefined ? null : (
        <Button busy={pending !== undefined} kind="primary" onClick={() => retryTask(retryable)}>
          Retry task
        </Button>
      )}
      {agent === undefined ? null : (
        <Button busy={pending !== undefined} onClick={() => AGENT_ACTIONS[agent].run(session)}>
          {AGENT_ACTIONS[agent].label}
        </Button>
      )}
      {isBusy ? (
        <Button busy={pending !== undefined} onClick={() => stop(session)}>
          Stop
        </Button>
      ) : null}
      {worktreeId === null || !hasWorktree ? null : <OpenInEditor worktreeId={worktreeId} />}
      {isArchived ? null : (
        <Button onClick={() => void terminal()} title="Open a shell in the session's folder">
          New terminal
        </Button>
      )}
      {canFork(session) ? <Button onClick={() => openDialog({ kind: 'forkSession', sessionId })}>Fork…</Button> : null}
      {isArchived ? <Button onClick={() => unarchive(session)}>Unarchive</Button> : null}
      {!canArchive ? null : <Button onClick={() => archive(session)}>Archive</Button>}
    </section>
  );
}

import type { Session } from '@agent-console/shared/models/session';
import { pin } from '../../features/inbox/pin.ts';
import { runCheck } from '../../features/integrations/check.ts';
import { undoLastMerge } from '../../features/integrations/undo.ts';
import { actionsOf, type TaskRef } from '../../features/sessions/page/offered-actions.ts';
import {
  archive,
  cancelTask,
  openTerminal,
  pause,
  resume,
  retryTask,
  startAgent,
  stop,
  unarchive,
} from '../../features/sessions/page/session-actions.ts';
import { useOpenSession } from '../../features/sessions/page/session-views.ts';
import { useOpenInEditor } from '../../features/worktrees/open-in-editor.ts';
import { openDialog } from '../dialogs.ts';
import type { SessionAction, SessionVerb } from './session-verbs.ts';

/** Maximum time in milliseconds to wait for the question of a session that was just opened. */
const QUESTION_WITHIN_MS = 3_000;

/** Focuses the first answer of the question on the page as soon as the answer is shown and no dialog is open. */
function focusAnswers(until = performance.now() + QUESTION_WITHIN_MS): void {
  requestAnimationFrame(() => {
    const answer = document.querySelector<HTMLElement>('[data-answer]');
    if (answer !== null && document.querySelector('[role=dialog]') === null) answer.focus();
    else if (performance.now() < until) focusAnswers(until);
  });
}

/** Returns a function that runs a command on a session: opens the dialog of the command, or performs its action. */
export function useRunVerb(): (verb: SessionVerb, session: Session) => void {
  const openSession = useOpenSession();
  const openEditor = useOpenInEditor();
  const runs: Readonly<Record<SessionAction, (session: Session) => unknown>> = {
    answer(session) {
      openSession(session.id);
      focusAnswers();
    },
    check: ({ worktreeId }) => worktreeId !== null && runCheck(worktreeId),
    undoMerge: undoLastMerge,
    editor: ({ worktreeId }) => worktreeId !== null && openEditor.run(worktreeId),
    async terminal(session) {
      const worker = await openTerminal(session);
      if (worker !== undefined) openSession(session.id, { view: 'terminal', worker: worker.id });
    },
    pause,
    resume,
    start: startAgent,
    stop,
    cancel: (session) => onTask(actionsOf(session).cancellable, cancelTask),
    retry: (session) => onTask(actionsOf(session).retryable, retryTask),
    pin: ({ id }) => pin([id], true),
    unpin: ({ id }) => pin([id], false),
    archive,
    unarchive,
  };
  return (verb, session) => {
    if ('dialog' in verb) openDialog(verb.dialog(session));
    else void runs[verb.action](session);
  };
}

function onTask(task: TaskRef | undefined, run: (task: TaskRef) => void): void {
  if (task !== undefined) run(task);
}

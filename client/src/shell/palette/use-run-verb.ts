import type { Session } from '@agent-console/shared/models/session';
import { runCheck } from '../../features/integrations/check.ts';
import { archive, openTerminal, pause, resume, stop, unarchive } from '../../features/sessions/page/session-actions.ts';
import { useOpenSession } from '../../features/sessions/page/session-views.ts';
import { openDialog } from '../dialogs.ts';
import type { SessionVerb } from './session-verbs.ts';

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

/** Returns a function that carries out a verb on a session. */
export function useRunVerb(): (verb: SessionVerb, session: Session) => void {
  const openSession = useOpenSession();
  return (verb, session) => {
    if ('dialog' in verb) return openDialog(verb.dialog(session));
    switch (verb.action) {
      case 'answer':
        openSession(session.id);
        return focusAnswers();
      case 'check':
        return void (session.worktreeId === null ? undefined : runCheck(session.worktreeId));
      case 'terminal':
        return void openTerminal(session).then(
          (worker) => worker && openSession(session.id, { view: 'terminal', worker: worker.id }),
        );
      case 'pause':
        return pause(session);
      case 'resume':
        return resume(session);
      case 'stop':
        return stop(session);
      case 'archive':
        return archive(session);
      case 'unarchive':
        return unarchive(session);
    }
  };
}

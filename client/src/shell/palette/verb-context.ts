import type { Session } from '@agent-console/shared/models/session';
import { useMarks } from '../../features/inbox/marks.ts';
import { useCanFork } from '../../features/sessions/use-can-fork.ts';

/** What the offer of a verb depends on besides the session. */
export interface VerbContext {
  isPinned: boolean;
  canFork: boolean;
}

/** Returns a function that returns what the verbs of a session depend on. */
export function useVerbContext(): (session: Session) => VerbContext {
  const pinned = useMarks((marks) => marks.pinned);
  const canFork = useCanFork();
  return (session) => ({ isPinned: pinned[session.id] !== undefined, canFork: canFork(session) });
}

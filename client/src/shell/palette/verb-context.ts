import type { Session } from '@agent-console/shared/models/session';
import { useMarks } from '../../features/inbox/marks.ts';
import { useCanFork } from '../../features/sessions/use-can-fork.ts';

/** Facts about a session that `Session` does not contain. The palette needs them to decide which actions it offers. */
export interface VerbContext {
  isPinned: boolean;
  canFork: boolean;
  /** Whether the last integration of the session's worktree can be undone. */
  isMergeUndoable: boolean;
}

/**
 * Returns a function that collects the facts about a session that the palette needs.
 * @param isMergeUndoable whether the last integration of a session's worktree can be undone
 */
export function useVerbContext(isMergeUndoable: (session: Session) => boolean): (session: Session) => VerbContext {
  const pinned = useMarks((marks) => marks.pinned);
  const canFork = useCanFork();
  return (session) => ({
    isPinned: pinned[session.id] !== undefined,
    canFork: canFork(session),
    isMergeUndoable: isMergeUndoable(session),
  });
}

import { useParams } from '@tanstack/react-router';
import { useDialog } from './dialogs.ts';

/**
 * Returns the session on which commands act: the open one, otherwise the one that had the focus when the dialog was
 * opened.
 */
export function useCurrentSessionId(): string | undefined {
  const { sessionId } = useParams({ strict: false });
  const focused = useDialog((state) => state.focusedSessionId);
  return sessionId ?? focused;
}

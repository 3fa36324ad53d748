import { useParams } from '@tanstack/react-router';
import { create } from 'zustand';

/** The session that has the focus on a page with several sessions, such as a card of a board. */
const useFocused = create<{ sessionId: string | undefined }>(() => ({ sessionId: undefined }));

export function setFocusedSession(sessionId: string | undefined): void {
  if (useFocused.getState().sessionId !== sessionId) useFocused.setState({ sessionId });
}

/** Returns the session on which commands act: the open one, otherwise the one with the focus. */
export function useCurrentSessionId(): string | undefined {
  const { sessionId } = useParams({ strict: false });
  const focused = useFocused((state) => state.sessionId);
  return sessionId ?? focused;
}

import type { Session } from '@agent-console/shared/models/session';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';

export const SESSION_VIEWS = ['terminal', 'conversation', 'diff', 'events'] as const;
export type SessionView = (typeof SESSION_VIEWS)[number];

export interface SessionSearch {
  /** The view to show. Default: the terminal if `worker` is set, otherwise the result of `defaultView`. */
  view?: SessionView;
  /** Worker whose terminal is shown; by default the main worker of the session. */
  worker?: string;
  /** Position of the message to show in the conversation, from 1. */
  at?: number;
}

/**
 * Returns the view that a session opens with: the conversation if the session's agent is driven over ACP and so has no
 * terminal, otherwise the terminal.
 */
export function defaultView({ driver }: Pick<Session, 'driver'>): SessionView {
  return driver === 'acp' ? 'conversation' : 'terminal';
}

/** Returns a function that opens a session; `replace` replaces the current history entry. */
export function useOpenSession(): (sessionId: string, search?: SessionSearch, replace?: boolean) => void {
  const navigate = useNavigate();
  return useCallback(
    (sessionId, search = {}, replace = false) =>
      void navigate({ to: '/sessions/$sessionId', params: { sessionId }, search, replace }),
    [navigate],
  );
}

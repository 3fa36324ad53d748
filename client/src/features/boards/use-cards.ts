import { useMemo } from 'react';
import { badgeContextOf } from '../inbox/inbox-items.ts';
import { useMarks } from '../inbox/marks.ts';
import { badgeOf } from '../sessions/badge.ts';
import { useSessions } from '../sessions/sessions-store.ts';
import type { ShownSession } from './columns.ts';

export function useShownSessions(): readonly ShownSession[] {
  const sessions = useSessions((state) => state.sessions);
  const marks = useMarks();
  return useMemo(
    () =>
      Object.values(sessions).map((session) => ({
        session,
        badge: badgeOf(session, badgeContextOf(session.id, marks)),
      })),
    [sessions, marks],
  );
}

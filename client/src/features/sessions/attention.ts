import type { Session } from '@agent-console/shared/models/session';
import { useMemo } from 'react';
import { type BadgeContext, badgeOf, sessionName } from './badge.ts';
import { type Seen, seenOf, useSeen } from './seen.ts';
import { type SessionsState, useSessions } from './sessions-store.ts';

/** A session that needs a person, and the reason. */
export interface Attention {
  sessionId: string;
  /** `asks` and `blocked` need an action; `failed` and `done` disappear when the session is seen. */
  kind: 'asks' | 'blocked' | 'failed' | 'done';
  since: string;
  text: string;
}

/** Returns the reason why a session needs a person, or undefined if it does not. */
function attentionOf(session: Session, known: BadgeContext): Attention | undefined {
  const { kind, unread, since } = badgeOf(session, known);
  const of = (what: Attention['kind'], text: string) => ({ sessionId: session.id, kind: what, since, text });
  if (kind === 'needs') {
    return known.held === undefined || session.workers.some(({ activityState }) => activityState === 'asking')
      ? of('asks', `${sessionName(session)} asks a question`)
      : of('blocked', `Prompt blocked: ${known.held.reason}`);
  }
  if (!unread) return undefined;
  if (kind === 'failed' || session.task?.status === 'failed')
    return of('failed', session.task?.error?.message ?? session.task?.summary ?? 'Task failed');
  // A run has many agents, and its end is what matters to a person.
  if (session.orchestrationId !== null) return undefined;
  return of('done', session.task?.summary ?? 'Task done');
}

/** Returns the sessions that need a person, newest first. */
export function useAttention(): readonly Attention[] {
  const sessions = useSessions((state) => state.sessions);
  const held = useSessions((state) => state.held);
  const seen = useSeen();
  return useMemo(() => attentionIn({ sessions, held }, seen), [sessions, held, seen]);
}

function attentionIn({ sessions, held }: Pick<SessionsState, 'sessions' | 'held'>, seen: Seen): Attention[] {
  const found: Attention[] = [];
  for (const session of Object.values(sessions)) {
    const need = attentionOf(session, { held: held[session.id], seen: seenOf(seen, session.id) });
    if (need !== undefined) found.push(need);
  }
  return found.sort((a, b) => (a.since < b.since ? 1 : a.since > b.since ? -1 : 0));
}

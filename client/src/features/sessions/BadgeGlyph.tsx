import type { Session } from '@agent-console/shared/models/session';
import { badgeContextOf } from '../inbox/inbox-items.ts';
import { useMarks } from '../inbox/marks.ts';
import { badgeOf, type SessionBadge } from './badge.ts';

/** Returns the badge that the session list shows for a session. */
export function useSessionBadge(session: Session): SessionBadge {
  const marks = useMarks();
  return badgeOf(session, badgeContextOf(session.id, marks));
}

/** Returns the colour class of a badge. Grey means that nothing happens and nobody is needed. */
export function badgeTone({ kind, unread }: Pick<SessionBadge, 'kind' | 'unread'>): string {
  if (kind === 'needs') return 'text-needs';
  if (kind === 'failed') return 'text-failed';
  if (kind === 'working') return 'text-working';
  return kind === 'done' && unread ? 'text-done' : 'text-quiet';
}

/** Glyph of a badge in a box of constant width. */
export function BadgeGlyph({ badge, className = '' }: { badge: SessionBadge; className?: string }) {
  const pulse = badge.kind === 'working' ? 'animate-pulse-slow' : '';
  return (
    <span aria-hidden className={`inline-block w-4 shrink-0 text-center ${badgeTone(badge)} ${pulse} ${className}`}>
      {badge.glyph}
    </span>
  );
}

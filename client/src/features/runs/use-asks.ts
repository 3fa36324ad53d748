import { badgeOf } from '../sessions/badge.ts';
import { useSession } from '../sessions/sessions-store.ts';

/** Whether an agent needs a person, for example to answer a question. */
export function useAsks(sessionId: string | null): boolean {
  const session = useSession(sessionId ?? undefined);
  return session !== undefined && badgeOf(session).kind === 'needs';
}

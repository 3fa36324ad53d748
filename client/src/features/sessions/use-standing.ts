import type { Session } from '@agent-console/shared/models/session';
import { useDirectory } from './directory.ts';
import { seenOf, useSeen } from './seen.ts';
import { type Standing, standingOf } from './standing.ts';

/** How one session stands, as the list shows it. */
export function useStanding(session: Session | undefined): Standing | undefined {
  const id = session?.id ?? '';
  const held = useDirectory((directory) => directory.held[id]);
  const seen = useSeen((state) => seenOf(state, id));
  return session === undefined ? undefined : standingOf(session, { held, seen });
}

import type { Session } from '@agent-console/shared/models/session';
import { useOperationQuery } from '../../api/operations.ts';
import { useSession } from './sessions-store.ts';

/** Returns a session, which may be archived and therefore not in the store; undefined until it is loaded. */
export function useAnySession(id: string | undefined): Session | undefined {
  const known = useSession(id);
  const isMissing = id !== undefined && known === undefined;
  const { data } = useOperationQuery('sessions.get', { sessionId: id ?? '' }, { enabled: isMissing });
  return known ?? (isMissing ? data : undefined);
}

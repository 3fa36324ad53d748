import type { Session } from '@agent-console/shared/models/session';
import type { Task } from '@agent-console/shared/models/task';
import { useAnswer } from '../../../api/operations.ts';
import { useSession } from '../directory.ts';
import type { Standing } from '../standing.ts';
import { useStanding } from '../use-standing.ts';

export interface OpenSession {
  session: Session | undefined;
  standing: Standing | undefined;
  /** Oldest first; undefined until they were answered. */
  tasks: readonly Task[] | undefined;
  error: { message: string; code?: string } | null;
  again: () => void;
}

/** A session as it is now, also an archived one, with its tasks. */
export function useOpenSession(sessionId: string): OpenSession {
  const known = useSession(sessionId);
  const { data, error, refetch } = useAnswer('sessions.get', { sessionId });
  const session = known ?? data;
  const standing = useStanding(session);
  return {
    session,
    standing,
    tasks: data?.tasks,
    error,
    again: () => void refetch(),
  };
}

import type { SessionRow } from '../../ports/rows.ts';
import type { Readers } from '../../ports/storage.ts';

/** Returns the sessions spawned by or forked from this session, oldest first, without removed sessions. */
export async function childrenOf({ sessions }: Pick<Readers, 'sessions'>, sessionId: string): Promise<SessionRow[]> {
  const spawned = await sessions.find({ parentSessionId: sessionId, removedAt: null });
  const forks = await sessions.find({ forkedFromSessionId: sessionId, removedAt: null });
  return [...spawned, ...forks].sort((a, b) => (a.id < b.id ? -1 : 1));
}

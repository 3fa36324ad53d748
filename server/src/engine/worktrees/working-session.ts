import type { SessionRow } from '../../ports/rows.ts';
import type { Readers } from '../../ports/storage.ts';

/**
 * Returns the newest session in the worktree that has received a prompt. Sessions that only run commands are excluded.
 */
export async function workingSession(
  read: Pick<Readers, 'sessions' | 'tasks'>,
  worktreeId: string,
): Promise<SessionRow | undefined> {
  for (const session of await read.sessions.find({ worktreeId, removedAt: null }, { order: ['-id'] })) {
    if ((await read.tasks.count({ sessionId: session.id, kind: 'prompt' })) > 0) return session;
  }
  return undefined;
}

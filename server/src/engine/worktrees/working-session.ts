import type { Caller } from '../../domain/caller.ts';
import type { SessionRow } from '../../ports/rows.ts';
import type { Readers } from '../../ports/storage.ts';
import { createOwnership } from '../access/ownership.ts';

/**
 * Returns the newest session in the worktree that has received a prompt and that the caller may see. Sessions that only
 * run commands are excluded.
 */
export async function workingSession(
  { storage: { read }, ownerId }: { storage: { read: Pick<Readers, 'sessions' | 'tasks' | 'users'> }; ownerId: string },
  worktreeId: string,
  caller: Caller,
): Promise<SessionRow | undefined> {
  const ownership = createOwnership(read, ownerId);
  const viewer = await ownership.viewerOf(caller);
  for (const session of await read.sessions.find({ worktreeId, removedAt: null }, { order: ['-id'] })) {
    if (!(await ownership.shows(viewer, session.id))) continue;
    if ((await read.tasks.count({ sessionId: session.id, kind: 'prompt' })) > 0) return session;
  }
  return undefined;
}

import { SYSTEM } from '../author.ts';
import type { EngineContext } from '../context.ts';

type Needs = Pick<EngineContext, 'storage' | 'git' | 'hub'>;

/** Updates a worktree's stored commit when a task of its session ends or waits: the agent may have committed. */
export function refreshWorktrees(
  { storage, git, hub }: Needs,
  onError: (error: unknown, sessionId: string) => void,
): void {
  async function refresh(sessionId: string): Promise<void> {
    const session = await storage.read.sessions.get(sessionId);
    const worktree = session?.worktreeId == null ? undefined : await storage.read.worktrees.get(session.worktreeId);
    if (worktree?.state !== 'ready') return;
    const repository = await storage.read.repositories.get(worktree.repositoryId);
    if (repository === undefined) return;
    const currentSha = await git.head({ repository, worktree });
    if (currentSha === worktree.currentSha) return;
    await storage.write(SYSTEM, async (tx) => {
      await tx.worktrees.update(worktree.id, { currentSha });
      const data = { worktreeId: worktree.id, currentSha };
      await tx.record({ type: 'worktree.updated', subject: { kind: 'worktree', id: worktree.id }, data });
    });
  }

  hub.onEvents((events) => {
    for (const { event, sessionId } of events) {
      const pauses = event.type === 'task.ended' || event.type === 'task.waiting';
      if (pauses && sessionId !== null) refresh(sessionId).catch((error) => onError(error, sessionId));
    }
  });
}

import { ConsoleError } from '@agent-console/shared/errors';
import { authorOf } from '../../engine/author.ts';
import { presentRepository } from '../../engine/present.ts';
import { repositoryRow } from '../../engine/rows.ts';
import type { OperationContext } from '../context.ts';
import type { Implementation } from '../operation.ts';

export function removeRepository({
  storage,
  now,
}: Pick<OperationContext, 'storage' | 'now'>): Implementation<'repositories.remove'> {
  return ({ repositoryId }, call) =>
    storage.write(authorOf(call), async (tx) => {
      const row = await repositoryRow(tx.repositories, repositoryId);
      const worktrees = await tx.worktrees.find({
        repositoryId,
        kind: 'managed',
        state: ['creating', 'ready', 'removing', 'restoring'],
      });
      if (worktrees.length > 0) {
        const names = worktrees.map((worktree) => worktree.name);
        throw new ConsoleError(
          'CONFLICT',
          `${row.name} still has managed worktrees: ${names.join(', ')}. Remove them first.`,
          {
            worktreeIds: worktrees.map((worktree) => worktree.id),
          },
        );
      }
      const sessions = await tx.sessions.find({ repositoryId, removedAt: null, archivedAt: null });
      const live = await tx.workers.find({
        sessionId: sessions.map((session) => session.id),
        state: ['starting', 'running'],
        type: ['agent', 'terminal'],
      });
      if (live.length > 0) {
        const ids = new Set(live.map((worker) => worker.sessionId));
        // Whoever may remove a repository need not know of private sessions.
        const named = sessions.filter(({ id, visibility }) => ids.has(id) && visibility !== 'private');
        throw new ConsoleError('CONFLICT', `Sessions of ${row.name} are live. Stop them first.`, {
          sessionIds: named.map(({ id }) => id),
        });
      }
      for (const worktree of await tx.worktrees.find({ repositoryId, state: 'ready' })) {
        await tx.worktrees.update(worktree.id, { state: 'removed' });
      }
      await tx.repositories.update(repositoryId, { removedAt: now().toISOString() });
      await tx.record({
        type: 'repository.removed',
        subject: { kind: 'repository', id: repositoryId },
        data: { repositoryId, name: row.name },
      });
      return presentRepository(row);
    });
}

import { ConsoleError } from '@agent-console/shared/errors';
import { SESSION_WORKTREES_MAX } from '@agent-console/shared/limits/worktrees';
import type { Call } from '../../domain/call.ts';
import { actorOf } from '../../domain/caller.ts';
import type { Readers } from '../../ports/storage.ts';
import { createOwnership } from '../access/ownership.ts';
import type { EngineContext } from '../context.ts';
import { sessionRow } from '../rows.ts';

/**
 * Rejects an agent's change to a worktree, unless the agent created the worktree, or its session or a descendant uses
 * the worktree.
 */
export async function refuseForeignWorktree(
  { storage: { read }, ownerId }: Pick<EngineContext, 'storage' | 'ownerId'>,
  worktreeId: string,
  { caller }: Call,
): Promise<void> {
  if (caller.kind !== 'worker') return;
  const ownership = createOwnership(read, ownerId);
  for (const { id } of await read.sessions.find({ worktreeId, removedAt: null })) {
    const { relation } = await ownership.relationTo(caller, id);
    if (relation === 'own' || relation === 'descendant') return;
  }
  const made = await read.jobs.find({ actor: actorOf(caller), kind: 'worktree-creation' });
  if (made.some((job) => worktreesOf(job.params).includes(worktreeId))) return;
  throw new ConsoleError(
    'PERMISSION_DENIED',
    'Agents can only change the worktrees of their own session and its descendants, and worktrees they created.',
    { worktreeId },
  );
}

/**
 * Rejects an agent's request for worktrees outside the repository of its session, or for more worktrees than the
 * SESSION_WORKTREES_MAX that one session may create.
 */
export async function refuseMoreWorktrees(
  read: Pick<Readers, 'sessions' | 'jobs'>,
  repositoryIds: readonly string[],
  { caller }: Call,
): Promise<void> {
  if (caller.kind !== 'worker') return;
  const { repositoryId } = await sessionRow(read.sessions, caller.sessionId);
  const foreign = repositoryIds.find((id) => id !== repositoryId);
  if (foreign !== undefined) {
    throw new ConsoleError('PERMISSION_DENIED', 'Agents can only create worktrees in their own repository.', {
      repositoryId: foreign,
    });
  }
  const jobs = await read.jobs.find({
    actor: actorOf(caller),
    kind: 'worktree-creation',
    state: ['running', 'succeeded'],
  });
  const made = jobs.reduce((count, job) => count + worktreesOf(job.params).length, 0);
  if (made + repositoryIds.length > SESSION_WORKTREES_MAX) {
    throw new ConsoleError(
      'LIMIT_EXCEEDED',
      `A session can create at most ${SESSION_WORKTREES_MAX} worktrees, and this session has created ${made}. Ask the person you work for to create more.`,
      { limit: SESSION_WORKTREES_MAX, made, sessionId: caller.sessionId },
      { retryable: false },
    );
  }
}

/** Returns the ids of the worktrees that a job creates: a single worktree, or the copies of a board's worktrees. */
export function worktreesOf(params: Record<string, unknown>): string[] {
  const { worktreeId, worktreeIds } = params as { worktreeId?: string; worktreeIds?: string[] };
  return worktreeIds ?? (worktreeId === undefined ? [] : [worktreeId]);
}

import type { Call } from '../domain/call.ts';
import { chooseTarget, type TargetDecision } from '../domain/integration.ts';
import { creatorOf } from '../engine/rows.ts';
import { baseOf } from '../engine/worktrees/base.ts';
import type { RepositoryRow, WorktreeRow } from '../ports/rows.ts';
import type { OperationContext } from './operation.ts';

/** Chooses the branch into which a caller integrates a worktree, or returns why the caller may not integrate it. */
export async function integrationTarget(
  context: OperationContext,
  call: Call,
  into: string | undefined,
  { repository, worktree }: { repository: RepositoryRow; worktree: WorktreeRow },
): Promise<TargetDecision> {
  const own = await creatorOf(context, call);
  const ownWorktree = own?.worktreeId == null ? undefined : await context.storage.read.worktrees.get(own.worktreeId);
  const request = {
    into,
    ownBranch: own === null ? undefined : (ownWorktree?.branch ?? null),
    baseRef: worktree.baseRef,
    defaultBranch: repository.defaultBranch,
    agentsMayIntegrate: repository.agentsMayIntegrate,
  };
  return chooseTarget(request, await baseOf(context.git, repository, worktree));
}

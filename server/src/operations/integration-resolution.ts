import { ConsoleError } from '@agent-console/shared/errors';
import { CONFLICT_PROMPT_MAX, CONFLICT_PROMPTS_MAX } from '@agent-console/shared/limits/git';
import type { Caller } from '../domain/caller.ts';
import { type KnownWork, resolutionPrompt } from '../domain/conflict-resolution.ts';
import { FINAL_STATES } from '../domain/orchestration/states.ts';
import { createOwnership } from '../engine/access/ownership.ts';
import { repositoryRow } from '../engine/rows.ts';
import type { IntegrationRow, RepositoryRow } from '../ports/rows.ts';
import { beginDelegation } from './delegations.ts';
import { callOf } from './integration-cleanup.ts';
import type { OperationContext } from './operation.ts';

/**
 * Delegates the resolution of an integration's conflicts to an agent in a new worktree, whose branch starts at the
 * branch to integrate. The agent merges the target into the new branch, so that the result can be integrated without
 * conflicts. Does nothing if another call has already delegated the resolution.
 * @param orchestrationId orchestration that integrates the branch. The new session belongs to it.
 * @throws CONFLICT if the orchestration has ended, and the errors of a delegation.
 */
export async function resolveConflicts(
  context: OperationContext,
  row: IntegrationRow,
  caller: Caller,
  orchestrationId?: string,
): Promise<void> {
  const { storage } = context;
  const repository = await repositoryRow(storage.read.repositories, row.repositoryId);
  const source = await storage.read.sessions.first({ worktreeId: row.worktreeId, removedAt: null }, { order: ['-id'] });
  const [ours, theirs] = await Promise.all([
    workInTarget(context, row, repository, caller),
    promptsIn(context, row.worktreeId, caller),
  ]);
  const { branch, into, conflicts, id } = row;
  const prompt = resolutionPrompt({ branch, into, conflicts, ours, theirs, checkCommand: repository.checkCommand });
  const request = {
    prompt,
    title: `Resolve conflicts of ${branch} with ${into}`.slice(0, 120),
    // The last characters of an integration's id are random, so each integration gets a branch name of its own.
    branch: `${branch.slice(0, 200)}-resolved-${id.slice(-6)}`,
    baseBranch: branch,
    useRemote: false,
    notifyOnCompletion: orchestrationId === undefined,
    ...(orchestrationId === undefined ? {} : { orchestrationId }),
    repositoryId: row.repositoryId,
    ...(source?.agentId == null ? {} : { agentId: source.agentId }),
  };
  const delegation = beginDelegation(
    context,
    request,
    callOf(caller),
    async (tx, { sessionId, worktreeId }) => {
      if ((await tx.integrations.get(id))?.resolvingSessionId != null)
        throw new ConsoleError('CONFLICT', ALREADY_DELEGATED);
      const orchestration = orchestrationId === undefined ? undefined : await tx.orchestrations.get(orchestrationId);
      if (orchestration !== undefined && FINAL_STATES.includes(orchestration.state)) {
        throw new ConsoleError(
          'CONFLICT',
          `This orchestration is ${orchestration.state}, so no agent resolves its conflicts any more.`,
          { orchestrationId },
        );
      }
      await tx.integrations.update(id, { resolvingSessionId: sessionId });
      // The new branch starts at the branch to integrate. But its base is set to the target, because its work is
      // compared with the target and integrated into it.
      await tx.worktrees.update(worktreeId, { baseRef: into });
    },
    true,
  );
  await delegation.catch(async (error) => {
    // If another call has delegated the resolution first, this delegation may fail, for example because its branch
    // already exists. The error is ignored, because the agent of the other call resolves the conflicts.
    if ((await storage.read.integrations.get(id))?.resolvingSessionId == null) throw error;
  });
}

const ALREADY_DELEGATED = 'An agent is already resolving these conflicts.';

/** Returns the prompts of those sessions in a worktree that the caller can see. */
async function promptsIn(
  { storage, ownerId }: OperationContext,
  worktreeId: string,
  caller: Caller,
): Promise<string[]> {
  const ownership = createOwnership(storage.read, ownerId);
  const viewer = await ownership.viewerOf(caller);
  const prompts: string[] = [];
  for (const { id } of await storage.read.sessions.find({ worktreeId, removedAt: null })) {
    if (!(await ownership.shows(viewer, id))) continue;
    const tasks = await storage.read.tasks.find({ sessionId: id, kind: 'prompt' }, { order: ['id'] });
    prompts.push(...tasks.flatMap(({ prompt }) => (prompt === null ? [] : [prompt.slice(0, CONFLICT_PROMPT_MAX)])));
  }
  return prompts.slice(0, CONFLICT_PROMPTS_MAX);
}

/**
 * Returns the branches whose work is in the target but not in the branch to integrate, and the target itself, with the
 * prompts of their sessions. Branches without prompts that the caller can see are left out.
 */
async function workInTarget(
  context: OperationContext,
  row: IntegrationRow,
  repository: RepositoryRow,
  caller: Caller,
): Promise<KnownWork[]> {
  const { storage, git } = context;
  const { repositoryId, into, sourceSha, beforeSha } = row;
  const found: KnownWork[] = [];
  const integrated = await storage.read.integrations.find(
    { repositoryId, into, state: 'integrated' },
    { order: ['-id'], limit: CONFLICT_PROMPTS_MAX },
  );
  for (const { branch, worktreeId, afterSha } of integrated) {
    if (afterSha === null || (await git.contains(repository, sourceSha, afterSha))) continue;
    if (!(await git.contains(repository, beforeSha, afterSha))) continue;
    found.push({ branch, prompts: await promptsIn(context, worktreeId, caller) });
  }
  const own = await storage.read.worktrees.first({ repositoryId, branch: into, state: 'ready' });
  if (own !== undefined) found.push({ branch: into, prompts: await promptsIn(context, own.id, caller) });
  return found.filter(({ prompts }) => prompts.length > 0).slice(0, CONFLICT_PROMPTS_MAX);
}

import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import { RISK_LIST_MAX } from '@agent-console/shared/limits/git';
import type { CleanupResult } from '@agent-console/shared/models/integration';
import type { InputOf } from '@agent-console/shared/operations/table';
import { listNames } from '@agent-console/shared/words';
import type { Call } from '../domain/call.ts';
import { integrationMessage } from '../domain/integration.ts';
import { authorOf } from '../engine/changes/author.ts';
import { checkOf } from '../engine/integrations/check.ts';
import type { IntegrationPlan } from '../engine/integrations/integrations.ts';
import type { CleanupRequest, FollowUp } from '../engine/integrations/params.ts';
import { presentIntegration } from '../engine/present.ts';
import { integrationRow, repositoryRow, worktreeRow } from '../engine/rows.ts';
import { refuseForeignWorktree } from '../engine/worktrees/agent-limits.ts';
import { notReady, refuseMidTurn } from '../engine/worktrees/occupancy.ts';
import { workingSession } from '../engine/worktrees/working-session.ts';
import type { IntegrationRow, RepositoryRow, WorktreeRow } from '../ports/rows.ts';
import { answerWithDryRun } from './dry-run.ts';
import { cleanUpAfter } from './integration-cleanup.ts';
import { integrationTarget } from './integration-target.ts';
import { answerWithJob, currentJob } from './job-answer.ts';
import { omitUndefined } from './omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf } from './paging.ts';

type Input = InputOf<'worktrees.integrate'>;

async function targetOf(
  context: OperationContext,
  call: Call,
  { into }: Input,
  checkout: { repository: RepositoryRow; worktree: WorktreeRow },
): Promise<string> {
  const decision = await integrationTarget(context, call, into, checkout);
  if ('refused' in decision) throw new ConsoleError('PERMISSION_DENIED', decision.refused, { into: into ?? null });
  return decision.into;
}

/** @throws CONFLICT if the worktree has uncommitted changes, since an integration contains only commits. */
async function refuseUncommitted(
  { git }: OperationContext,
  repository: RepositoryRow,
  worktree: WorktreeRow,
): Promise<void> {
  const { files, count } = await git.changedFiles({ repository, worktree }, RISK_LIST_MAX);
  if (count === 0) return;
  throw new ConsoleError(
    'CONFLICT',
    `Worktree ${worktree.name} has uncommitted changes, which would not be integrated: ${listNames(files, count)}. Commit or discard them first.`,
    { worktreeId: worktree.id, files },
  );
}

async function refuseUnchecked(
  { storage }: OperationContext,
  repositoryId: string,
  worktree: WorktreeRow,
  commit: string,
): Promise<void> {
  const newest = await storage.read.worktreeChecks.first(
    { repositoryId, commit, state: ['passed', 'failed'], clean: true },
    { order: ['-id'] },
  );
  if (newest?.state === 'passed') return;
  const problem = newest === undefined ? 'has no result of a clean check' : 'did not pass its check';
  throw new ConsoleError(
    'CONFLICT',
    `Commit ${commit.slice(0, 12)} of worktree ${worktree.name} ${problem}, but requireCheck is set. Run the check of this worktree first.`,
    { worktreeId: worktree.id, commit },
  );
}

/** Returns the commit of the target branch. @throws NOT_FOUND if the branch does not exist or has no commits. */
async function tipOfTarget({ git }: OperationContext, repository: RepositoryRow, into: string): Promise<string> {
  return git.tipOf(repository, into).catch((error: unknown) => {
    if (!(error instanceof ConsoleError) || error.details.branchId !== into) throw error;
    const message = `The target branch ${into} does not exist or has no commits. Pass the name of an existing branch as \`into\`.`;
    throw new ConsoleError('NOT_FOUND', message, { field: 'into', branch: into }, { cause: error });
  });
}

/** @throws VALIDATION if the caller wants to delete the branch, but keep the worktree that has it checked out. */
function refuseDeletingCheckedOut({ deleteBranch, removeWorktree }: CleanupRequest, prefix = ''): void {
  if (!deleteBranch || removeWorktree) return;
  const message = `requires ${prefix}removeWorktree, because the worktree has the branch checked out`;
  throw fieldError(`${prefix}deleteBranch`, message);
}

/** Validates an integration against the current state of the repository, and returns its plan. */
export async function planOf(context: OperationContext, call: Call, input: Input): Promise<IntegrationPlan> {
  const { storage, git } = context;
  if (input.cleanup !== undefined) refuseDeletingCheckedOut(input.cleanup, 'cleanup.');
  const worktree = await worktreeRow(storage.read.worktrees, input.worktreeId);
  await refuseForeignWorktree(context, worktree.id, call);
  if (worktree.state !== 'ready') throw notReady(worktree);
  const repository = await repositoryRow(storage.read.repositories, worktree.repositoryId);
  const { branch, currentSha: sourceSha, hasChanges } = await git.state({ repository, worktree });
  if (branch === null) {
    throw new ConsoleError(
      'CONFLICT',
      `Worktree ${worktree.name} is not on a branch (detached HEAD). Create a branch there first: git switch -c <branch>`,
      { worktreeId: worktree.id },
    );
  }
  if (sourceSha === '') {
    const message = `Branch ${branch} of worktree ${worktree.name} has no commits yet, so there is nothing to integrate. Commit something first.`;
    throw new ConsoleError('CONFLICT', message, { worktreeId: worktree.id, branch });
  }
  const into = await targetOf(context, call, input, { repository, worktree });
  if (into === branch) throw fieldError('into', `is the branch of the worktree itself, ${branch}; name another branch`);
  const beforeSha = await tipOfTarget(context, repository, into);
  if (hasChanges) await refuseUncommitted(context, repository, worktree);
  if (input.requireCheck) await refuseUnchecked(context, repository.id, worktree, sourceSha);
  const { strategy } = input;
  const session = await workingSession(context, worktree.id, call.caller);
  const about = { branch, into, title: session?.title || null };
  const message = input.message ?? integrationMessage(strategy, about);
  const ids = { repositoryId: repository.id, worktreeId: worktree.id };
  return { ...ids, strategy, branch, sourceSha, into, beforeSha, message };
}

function integrateWorktree(context: OperationContext): Implementation<'worktrees.integrate'> {
  return async (input, call) => {
    const plan = await planOf(context, call, input);
    if (input.dryRun) return answerWithDryRun(context, call, 'integration', () => preview(context, plan), input.wait);
    const author = authorOf(call);
    const { storage, integrations } = context;
    const { job } = await storage.write(author, async (tx) => {
      const created = await integrations.create(tx, author, plan, followUpOf(input, call));
      await tx.remember({ jobId: created.job.id });
      return created;
    });
    return answerWithJob(context, call, { job, running: integrations.run(job) }, input.wait);
  };
}

function followUpOf({ cleanup, resolve }: Input, { caller }: Call): FollowUp {
  return { caller, resolve, cleanup: cleanup ?? null };
}

/**
 * Returns the result of a dry run: the conflicts that the integration would have, and the check of the commit to
 * integrate.
 * @throws CONFLICT if the target branch could not be moved, for example because its checkout has uncommitted changes.
 */
async function preview({ git, storage }: OperationContext, plan: IntegrationPlan) {
  const repository = await repositoryRow(storage.read.repositories, plan.repositoryId);
  const { strategy, beforeSha, sourceSha, into, message } = plan;
  const { commit, conflicts } = await git.combine(repository, {
    strategy,
    into: beforeSha,
    from: sourceSha,
    message,
  });
  if (commit !== null && commit !== beforeSha) {
    await git.requireMovable(repository, { branch: into, from: beforeSha, to: commit, reason: 'dry run' });
  }
  const check = await checkOf(storage.read, plan.repositoryId, sourceSha);
  const nothing = { dryRun: true, integrationId: null, commit: null, undoableUntil: null };
  return { ...nothing, into, before: beforeSha, conflicts, check };
}

function listIntegrations({ storage, now }: OperationContext): Implementation<'integrations.list'> {
  return ({ repositoryId, worktreeId, ...page }) =>
    pageOf(
      storage.read.integrations,
      { repositoryId, ...omitUndefined({ worktreeId }) },
      page,
      (row) => presentIntegration(row, now()),
      ['-id'],
    );
}

function getIntegration({ storage, now }: OperationContext): Implementation<'integrations.get'> {
  return async ({ integrationId }) =>
    presentIntegration(await integrationRow(storage.read.integrations, integrationId), now());
}

function undoIntegration({ integrations, now }: OperationContext): Implementation<'integrations.undo'> {
  return async ({ integrationId }, call) =>
    presentIntegration(await integrations.undo(authorOf(call), integrationId), now());
}

/**
 * Cleans up after an integration in state `integrated`. Each step can be repeated, so that another call completes a
 * clean-up that a crash interrupted.
 * @throws CONFLICT in another state, if the target no longer contains the commits, if the branch has changed since, or
 * while an agent works in the worktree. NOT_FOUND if the target was deleted. VALIDATION if the branch is to be deleted,
 * but not the worktree.
 */
function cleanUpIntegration(context: OperationContext): Implementation<'integrations.cleanUp'> {
  const { storage, git, now } = context;
  return async ({ integrationId, ...request }, call) => {
    refuseDeletingCheckedOut(request);
    const row = await integrationRow(storage.read.integrations, integrationId);
    const { state, into, branch, sourceSha, afterSha } = row;
    const refuse = (why: string, advice = `Integrate ${branch} first.`) => {
      const message = `Nothing was cleaned up, because ${why}. ${advice}`;
      return new ConsoleError('CONFLICT', message, { integrationId, state });
    };
    if (state !== 'integrated' || afterSha === null) {
      const advice = state === 'running' ? 'Wait until the integration has ended.' : undefined;
      throw refuse(`the state of this integration is ${state}`, advice);
    }
    const repository = await repositoryRow(storage.read.repositories, row.repositoryId);
    if (!(await git.contains(repository, await git.tipOf(repository, into), afterSha))) {
      throw refuse(`the branch ${into} no longer contains the commits of this integration`);
    }
    if ((await git.branchExists(repository, branch)) && (await git.tipOf(repository, branch)) !== sourceSha) {
      const advice = `Integrate ${branch} again, and clean up after that integration.`;
      throw refuse(`the branch ${branch} has changed since this integration`, advice);
    }
    const worktree = await worktreeRow(storage.read.worktrees, row.worktreeId);
    await refuseMidTurn(storage.read, worktree, authorOf(call).viaSessionId);
    const cleanup = await cleanUpAfter(context, row, request, call.caller);
    await storage.write(authorOf(call), async (tx) => {
      const before = (await integrationRow(tx.integrations, integrationId)).cleanup;
      await tx.integrations.update(integrationId, { cleanup: mergedResults(before, cleanup) });
    });
    return presentIntegration(await integrationRow(storage.read.integrations, integrationId), now());
  };
}

/**
 * Combines the results of an earlier and a new clean-up. Problems of the earlier clean-up are left out, because the new
 * one has tried the same steps again. The warnings of the earlier clean-up are kept, because a removed worktree is not
 * removed again.
 */
function mergedResults(before: IntegrationRow['cleanup'], { problems, ...now }: CleanupResult): CleanupResult {
  return {
    worktreeRemoved: now.worktreeRemoved || before?.worktreeRemoved === true,
    branchDeleted: now.branchDeleted || before?.branchDeleted === true,
    sessionsArchived: [...new Set([...(before?.sessionsArchived ?? []), ...now.sessionsArchived])],
    problems,
    warnings: [...new Set([...(before?.warnings ?? []), ...now.warnings])],
  };
}

/** Answers a repeated call with the current state of the job that the first call started. */
export function replayIntegration(context: OperationContext) {
  return (remembered: Record<string, unknown>) => currentJob(context, String(remembered.jobId));
}

export function integrationOperations(context: OperationContext) {
  return {
    'worktrees.integrate': integrateWorktree(context),
    'integrations.list': listIntegrations(context),
    'integrations.get': getIntegration(context),
    'integrations.undo': undoIntegration(context),
    'integrations.cleanUp': cleanUpIntegration(context),
  } satisfies Partial<Implementations>;
}

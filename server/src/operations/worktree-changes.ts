import { basename } from 'node:path';
import { ConsoleError, fieldError } from '@agent-console/shared/errors';
import { PULL_REQUEST_READ_MS } from '@agent-console/shared/limits/commands';
import { RISK_LIST_MAX } from '@agent-console/shared/limits/git';
import type { JobPreviews } from '@agent-console/shared/models/job-result';
import { see } from '@agent-console/shared/see';
import { listNames } from '@agent-console/shared/words';
import type { Call } from '../domain/call.ts';
import { forgeOf, newPullRequestPage } from '../domain/pull-request.ts';
import { authorOf } from '../engine/changes/author.ts';
import { checkOf } from '../engine/integrations/check.ts';
import { repositoryRow, worktreeRow } from '../engine/rows.ts';
import type { BaseUpdateParams } from '../engine/worktree-changes/base-update-params.ts';
import type { ChangeKind } from '../engine/worktree-changes/changes.ts';
import { createCheck } from '../engine/worktree-changes/check.ts';
import type { CommitParams } from '../engine/worktree-changes/commit.ts';
import { aloneIn } from '../engine/worktree-changes/context.ts';
import type { PullRequestParams } from '../engine/worktree-changes/pull-request.ts';
import type { PushParams } from '../engine/worktree-changes/push.ts';
import { refuseForeignWorktree } from '../engine/worktrees/agent-limits.ts';
import { baseOf } from '../engine/worktrees/base.ts';
import { notReady, refuseMidTurn } from '../engine/worktrees/occupancy.ts';
import { workingSession } from '../engine/worktrees/working-session.ts';
import type { PushTarget } from '../ports/git-changes.ts';
import type { JobRow, RepositoryRow, WorktreeRow } from '../ports/rows.ts';
import { answerWithDryRun } from './dry-run.ts';
import { integrationTarget } from './integration-target.ts';
import { answerWithJob, currentJob } from './job-answer.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { lastDiscarded, withEarlierDiscard } from './recorded-discards.ts';

interface Target {
  worktree: WorktreeRow;
  repository: RepositoryRow;
}

/**
 * Returns a worktree that the caller may change, and its repository. @throws PERMISSION_DENIED if the caller may not
 * change the worktree, CONFLICT if the worktree is not ready.
 */
async function targetOf(context: OperationContext, call: Call, worktreeId: string): Promise<Target> {
  const { read } = context.storage;
  const worktree = await worktreeRow(read.worktrees, worktreeId);
  await refuseForeignWorktree(context, worktree.id, call);
  if (worktree.state !== 'ready') throw notReady(worktree);
  return { worktree, repository: await repositoryRow(read.repositories, worktree.repositoryId) };
}

/** Returns the branch of a worktree. @throws CONFLICT for a detached HEAD or a branch without commits. */
async function branchOf({ git }: OperationContext, target: Target): Promise<string> {
  const { name, id: worktreeId } = target.worktree;
  const { branch, currentSha } = await git.state(target);
  if (branch === null) {
    const message = `Worktree ${name} is not on a branch (detached HEAD). Create a branch there first: git switch -c <branch>`;
    throw new ConsoleError('CONFLICT', message, { worktreeId });
  }
  if (currentSha === '') {
    throw new ConsoleError('CONFLICT', `Branch ${branch} of worktree ${name} has no commits yet. Commit first.`, {
      worktreeId,
      branch,
    });
  }
  return branch;
}

/** Starts the job that makes a change to a worktree, and returns the response to the call. */
async function startChange(
  context: OperationContext,
  call: Call,
  kind: ChangeKind,
  params: object,
  wait: boolean,
): ReturnType<typeof answerWithJob> {
  const author = authorOf(call);
  const job: JobRow = await context.storage.write(author, async (tx) => {
    const created = await context.jobs.create(tx, author, kind, { ...params });
    await tx.remember({ jobId: created.id });
    return created;
  });
  return answerWithJob(context, call, { job, running: context.worktreeChanges.run(job) }, wait);
}

function checkWorktree(context: OperationContext): Implementation<'worktrees.check'> {
  return async ({ worktreeId, dryRun, wait }, call) => {
    const target = await targetOf(context, call, worktreeId);
    const { worktree, repository } = target;
    const { checkCommand: command } = repository;
    if (command === null) {
      const set = see('repositories.update', { repositoryId: repository.id });
      throw new ConsoleError(
        'UNSUPPORTED',
        `Repository ${repository.name} has no check command. A person can set one: ${set.rest} with checkCommand, such as "npm test".`,
        { repositoryId: repository.id, see: set },
      );
    }
    const { currentSha: commit, hasChanges } = await context.git.state(target);
    if (commit === '') await branchOf(context, target);
    if (dryRun) {
      const preview = async () => {
        const check = await checkOf(context.storage.read, repository.id, commit);
        const result = { dryRun, command, folder: worktree.path, commit, clean: !hasChanges, check };
        return result satisfies JobPreviews['check'];
      };
      return answerWithDryRun(context, call, 'check', preview, wait);
    }
    const author = authorOf(call);
    const { jobId, created } = await context.storage.write(author, async (tx) => {
      const check = await createCheck(tx, context, author, { worktree, command, commit, clean: !hasChanges });
      await tx.remember({ jobId: check.jobId });
      return check;
    });
    const running = created === null ? context.worktreeChanges.ended(jobId) : context.worktreeChanges.run(created);
    return answerWithJob(context, call, { job: { id: jobId }, running }, wait);
  };
}

function commitWorktree(context: OperationContext): Implementation<'worktrees.commit'> {
  return async ({ worktreeId, message, paths, dryRun, wait }, call) => {
    const target = await targetOf(context, call, worktreeId);
    const { before: _, ...plan } = await context.git.planCommit(target, paths);
    const hooks = call.caller.kind !== 'worker' || target.repository.runHooks;
    if (dryRun) {
      const preview = async () => {
        const hasHooks = hooks && (await context.git.hooksFolder(target)) !== null;
        return { dryRun, commit: null, message, ...plan, hooks: hasHooks } satisfies JobPreviews['commit'];
      };
      return answerWithDryRun(context, call, 'commit', preview, wait);
    }
    const params: CommitParams = { worktreeId, message, paths: paths ?? null, hooks };
    return startChange(context, call, 'commit', params, wait);
  };
}

function discardChanges(context: OperationContext): Implementation<'worktrees.discard'> {
  const { storage, git } = context;
  return async ({ worktreeId, paths, hunks }, call) => {
    const target = await targetOf(context, call, worktreeId);
    const { worktree } = target;
    const subject = { kind: 'worktree', id: worktreeId } as const;
    await refuseMidTurn(storage.read, worktree, authorOf(call).viaSessionId);
    // The recovery ref is recorded before any file changes, so that the changes can be restored after a crash.
    const onSaved = async (recoveryRef: string) => {
      await refuseMidTurn(storage.read, worktree, authorOf(call).viaSessionId);
      const data = { worktreeId, recoveryRef };
      await storage.write(authorOf(call), (tx) => tx.record({ type: 'worktree.discard_started', subject, data }));
    };
    const onRefused = (recoveryRef: string) => {
      const data = { worktreeId, recoveryRef };
      return storage.write(authorOf(call), (tx) => tx.record({ type: 'worktree.discard_refused', subject, data }));
    };
    return aloneIn(context, worktreeId, async () => {
      const discarded = await git.discard(target, basename(worktree.path), { paths, hunks, onSaved, onRefused });
      const { recoveryRef, files } = discarded;
      const data = { worktreeId, recoveryRef, files };
      await storage.write(authorOf(call), (tx) => tx.record({ type: 'worktree.discarded', subject, data }));
      return discarded;
    });
  };
}

function undoDiscard(context: OperationContext): Implementation<'worktrees.undoDiscard'> {
  const { storage, git } = context;
  return async ({ worktreeId, recoveryRef }, call) => {
    const target = await targetOf(context, call, worktreeId);
    const { worktree } = target;
    const requireIdle = () => refuseMidTurn(storage.read, worktree, authorOf(call).viaSessionId);
    await requireIdle();
    return aloneIn(context, worktreeId, async () => {
      const undone = recoveryRef ?? (await lastDiscarded(storage.read, worktreeId));
      const undoing = git.undoDiscard(target, basename(worktree.path), undone, requireIdle);
      const result = await undoing.catch(async (error: unknown) => {
        throw recoveryRef === undefined ? await withEarlierDiscard(storage.read, worktreeId, error) : error;
      });
      await storage.write(authorOf(call), (tx) => {
        const subject = { kind: 'worktree', id: worktreeId } as const;
        const data = { worktreeId, recoveryRef: undone, files: result.files };
        return tx.record({ type: 'worktree.discard_undone', subject, data });
      });
      return result;
    });
  };
}

function updateFromBase(context: OperationContext): Implementation<'worktrees.updateFromBase'> {
  return async ({ worktreeId, strategy, fetch, wait }, call) => {
    const { git, storage } = context;
    const target = await targetOf(context, call, worktreeId);
    const { worktree, repository } = target;
    const branch = await branchOf(context, target);
    const base = await baseOf(git, repository, worktree);
    if (base === branch) {
      throw new ConsoleError(
        'CONFLICT',
        `Branch ${branch} is the base branch of this worktree, so there is no other branch to update it from.`,
        {
          worktreeId,
          branch,
        },
      );
    }
    await git.tipOf(repository, base);
    await refuseMidTurn(storage.read, worktree, authorOf(call).viaSessionId);
    const { files, count } = await git.changedFiles(target, RISK_LIST_MAX);
    if (count > 0) {
      throw new ConsoleError(
        'CONFLICT',
        `Worktree ${worktree.name} has uncommitted changes: ${listNames(files, count)}. Commit or discard them first.`,
        { worktreeId, files },
      );
    }
    const mayMove = await mayMoveBase(context, call, target, base, fetch === true);
    const params: BaseUpdateParams = { worktreeId, branch, base, strategy, fetch: fetch ?? mayMove };
    return startChange(context, call, 'base-update', params, wait);
  };
}

/**
 * Whether the caller may move the base branch.
 * @throws PERMISSION_DENIED if the caller may not move it and `isRequired` is set.
 */
async function mayMoveBase(
  context: OperationContext,
  call: Call,
  target: Target,
  base: string,
  isRequired: boolean,
): Promise<boolean> {
  const decision = await integrationTarget(context, call, base, target);
  if (!('refused' in decision)) return true;
  if (!isRequired) return false;
  const message = `You may not change the branch ${base}, but \`fetch\` would add new commits to it. Omit \`fetch\` to use ${base} as it is.`;
  throw new ConsoleError('PERMISSION_DENIED', message, { base, field: 'fetch' });
}

async function pushPreview(
  { git }: OperationContext,
  target: Target,
  to: PushTarget,
  forced: boolean,
): Promise<JobPreviews['push']> {
  const { setsUpstream: upstreamSet, ...about } = to;
  const hooks = (await git.hooksFolder(target)) !== null;
  return { dryRun: true, ...about, upstreamSet, forced, ...(await git.unpushed(target, to)), hooks };
}

function pushWorktree(context: OperationContext): Implementation<'worktrees.push'> {
  return async ({ worktreeId, force, dryRun, wait }, call) => {
    const target = await targetOf(context, call, worktreeId);
    const branch = await branchOf(context, target);
    const to = await context.git.pushTarget(target, branch);
    if (dryRun) {
      return answerWithDryRun(context, call, 'push', () => pushPreview(context, target, to, force), wait);
    }
    const params: PushParams = { worktreeId, branch, force };
    return startChange(context, call, 'push', params, wait);
  };
}

function createPullRequest(context: OperationContext): Implementation<'worktrees.pullRequest'> {
  return async ({ worktreeId, title, body, draft, dryRun, wait }, call) => {
    const { read } = context.storage;
    const target = await targetOf(context, call, worktreeId);
    const { worktree, repository } = target;
    const branch = await branchOf(context, target);
    const base = await baseOf(context.git, repository, worktree);
    if (base === branch)
      throw fieldError(
        'worktreeId',
        `is a worktree on ${branch}, into which the pull request would be merged; choose a worktree on another branch`,
      );
    const to = await context.git.pushTarget(target, branch);
    if (repository.pullRequestCommand === null) await refuseWithoutGh(context, to.url, base, branch);
    const session = await workingSession(context, worktreeId, call.caller);
    const task =
      session === undefined
        ? undefined
        : await read.tasks.first({ sessionId: session.id, kind: 'prompt', status: 'completed' }, { order: ['-id'] });
    const params: PullRequestParams = {
      worktreeId,
      branch,
      base,
      title: title || session?.title || branch,
      body: body ?? task?.summary ?? '',
      draft,
      command: repository.pullRequestCommand,
      ...(title && body !== undefined ? {} : { quotedSessionId: session?.id }),
    };
    if (dryRun) {
      const preview = async () => {
        const { worktreeId: _, quotedSessionId: _session, ...about } = params;
        const push = await pushPreview(context, target, to, false);
        return {
          ...about,
          dryRun,
          command: params.command ?? 'gh pr create',
          push,
        } satisfies JobPreviews['pull-request'];
      };
      return answerWithDryRun(context, call, 'pull-request', preview, wait, params.quotedSessionId);
    }
    return startChange(context, call, 'pull-request', params, wait);
  };
}

/**
 * @throws UNSUPPORTED if `gh` cannot be used. The error names the page on which a person can create the pull request.
 */
async function refuseWithoutGh(
  { pullRequests }: OperationContext,
  url: string,
  base: string,
  branch: string,
): Promise<void> {
  const forge = forgeOf(url);
  const isForGh = forge?.kind === 'github' || forge?.kind === 'other';
  const availability = isForGh ? await pullRequests.availability(forge.host) : 'unusable';
  if (availability === 'ready') return;
  const why = {
    unusable: 'the remote is not on GitHub',
    missing: 'gh, the GitHub CLI, is not installed',
    'logged-out': `gh is not logged in to ${forge?.host} (run gh auth login)`,
    slow: `gh did not answer within ${PULL_REQUEST_READ_MS / 1_000} s whether it is logged in to ${forge?.host}`,
  }[availability];
  const page = newPullRequestPage(url, base, branch);
  const advice =
    page === null
      ? 'Set a pullRequestCommand for the repository.'
      : `Push the branch and create the pull request at ${page}, or set a pullRequestCommand for the repository.`;
  throw new ConsoleError('UNSUPPORTED', `No pull request can be created, because ${why}. ${advice}`, {
    page,
    base,
    branch,
  });
}

/** Answers a repeated call with the current state of the job that the first call started. */
export function replayChange(context: OperationContext) {
  return (remembered: Record<string, unknown>) => currentJob(context, String(remembered.jobId));
}

export function worktreeChangeOperations(context: OperationContext) {
  return {
    'worktrees.check': checkWorktree(context),
    'worktrees.commit': commitWorktree(context),
    'worktrees.discard': discardChanges(context),
    'worktrees.undoDiscard': undoDiscard(context),
    'worktrees.updateFromBase': updateFromBase(context),
    'worktrees.push': pushWorktree(context),
    'worktrees.pullRequest': createPullRequest(context),
  } satisfies Partial<Implementations>;
}

import { ConsoleError, type ErrorCode, notFound } from '@agent-console/shared/errors';
import { INTEGRATION_UNDO_MS } from '@agent-console/shared/limits/git';
import type { EventDataOf } from '@agent-console/shared/models/event-data';
import type { CleanupResult, IntegrationStrategy } from '@agent-console/shared/models/integration';
import type { JobResultOf } from '@agent-console/shared/models/job-result';
import * as v from 'valibot';
import type { Caller } from '../../domain/caller.ts';
import type { Git } from '../../ports/git.ts';
import type { BranchMove, Combination, CombineSpec } from '../../ports/git-integration.ts';
import type { IntegrationRow, JobRow, RepositoryRow } from '../../ports/rows.ts';
import type { Author, Storage, Transaction } from '../../ports/storage.ts';
import { authorOfJob, SYSTEM } from '../changes/author.ts';
import type { ChangeDeps } from '../changes/task-changes.ts';
import type { Hooks } from '../commands/hooks.ts';
import { presentIntegration, toStoredError } from '../present.ts';
import { repositoryRow, worktreeRow } from '../rows.ts';
import { type Jobs, retryWhileBusy } from '../scheduling/jobs.ts';
import type { WorktreeMaker } from '../worktrees/maker.ts';
import { checkOf } from './check.ts';
import { type CleanupRequest, type FollowUp, IntegrationParams } from './params.ts';

/** An integration to store, with everything that it needs after a restart. */
export interface IntegrationPlan {
  repositoryId: string;
  worktreeId: string;
  strategy: IntegrationStrategy;
  branch: string;
  sourceSha: string;
  into: string;
  beforeSha: string;
  message: string;
}

/** Actions that follow an integration. Each action can be repeated after a crash. */
interface FollowUps {
  /** Does the requested clean-up as far as possible. The result lists what could not be removed. */
  cleanUp(row: IntegrationRow, request: CleanupRequest, caller: Caller): Promise<CleanupResult>;
  /**
   * Delegates the resolution of conflicts to a new session, and stores that session in the integration in the same
   * transaction.
   * @throws LIMIT_EXCEEDED and the other errors of a delegation.
   */
  resolve(row: IntegrationRow, caller: Caller): Promise<void>;
}

/** Integrates branches of worktrees, and undoes integrations. Each step can be repeated after a crash. */
export interface Integrations {
  /** Stores an integration and its job in the caller's transaction. Call `run` after the commit. */
  create(
    tx: Transaction,
    author: Author,
    plan: IntegrationPlan,
    followUp: FollowUp,
  ): Promise<{ job: JobRow; integration: IntegrationRow }>;
  /** Runs the job of a stored integration, or continues the job after a crash; never rejects. */
  run(job: JobRow): Promise<void>;
  /**
   * Sets the target branch back to the commit that it pointed to before the integration.
   * @throws NOT_FOUND for an unknown integration. CONFLICT if the integration cannot be undone.
   */
  undo(author: Author, integrationId: string): Promise<IntegrationRow>;
  /**
   * Completes or reverts undo operations that a crash interrupted, and ends integrations that are still stored as
   * running although their job has ended. An error is reported, and the next start tries again. Called once, before the
   * first request.
   */
  recover(onError: (error: unknown, about: { integrationId: string }) => void): Promise<void>;
}

interface IntegrationDeps extends ChangeDeps {
  storage: Storage;
  git: Git;
  jobs: Jobs;
  maker: Pick<WorktreeMaker, 'alone'>;
  hooks: Hooks;
  followUps: FollowUps;
  onError: (error: unknown, integrationId: string) => void;
}

type Progress = (fraction: number, phase: string) => void;
type Ending = 'integrated' | 'conflicted' | 'failed' | 'undone';

export function createIntegrations(deps: IntegrationDeps): Integrations {
  const { storage, git, jobs, maker, hooks, followUps, now, newId } = deps;

  async function rowOf(read: Storage['read'] | Transaction, id: string): Promise<IntegrationRow> {
    const row = await read.integrations.get(id);
    if (row === undefined) throw notFound('Integration', id);
    return row;
  }

  async function store(author: Author, id: string, patch: Partial<IntegrationRow>, ending: Ending) {
    return storage.write(author, async (tx) => {
      await tx.integrations.update(id, patch);
      const row = await rowOf(tx, id);
      await record(tx, row, ending);
      return row;
    });
  }

  /** Stores the end of an integration. Retries while the disk is full or the database is locked. */
  function end(id: string, patch: Partial<IntegrationRow>, ending: Ending): Promise<IntegrationRow> {
    const endedAt = now().toISOString();
    return retryWhileBusy(() => store(SYSTEM, id, { ...patch, endedAt }, ending));
  }

  /**
   * Runs `work` while no other integration or undo moves the same branch, so that each integration starts from the
   * result of the previous one.
   */
  const alone = <T>(row: Pick<IntegrationRow, 'repositoryId' | 'into'>, work: () => Promise<T>) =>
    maker.alone(`${row.repositoryId} ${row.into}`, work);

  /**
   * Runs the hooks that git would run for a merge or squash commit. Runs them for an agent only if the repository
   * allows it. Returns the commit with the message, which the hooks may have changed. As in git, a rebase runs no
   * hooks.
   * @throws CONFLICT or TIMEOUT if a hook refuses the commit.
   */
  async function withHooks(
    job: JobRow,
    { worktreeId, strategy }: IntegrationRow,
    spec: CombineSpec,
    combined: Combination,
  ): Promise<Combination> {
    const { commit } = combined;
    if (commit === null || commit === spec.into || strategy === 'rebase') return combined;
    const worktree = await worktreeRow(storage.read.worktrees, worktreeId);
    const repository = await repositoryRow(storage.read.repositories, worktree.repositoryId);
    const { caller } = v.parse(IntegrationParams, job.params).followUp;
    if (caller.kind === 'worker' && !repository.runHooks) return combined;
    if ((await git.hooksFolder({ worktree, repository })) === null) return combined;
    const before = strategy === 'merge' ? 'pre-merge-commit' : 'pre-commit';
    const target = { worktree, repository, into: spec.into, commit, author: authorOfJob(job) };
    const message = await hooks.run(job, target, { before, message: 'commit-msg' });
    return message.trim() === spec.message.trim() ? combined : git.combine(repository, { ...spec, message });
  }

  async function integrate(job: JobRow, progress: Progress): Promise<IntegrationRow> {
    const { integrationId: id, message } = v.parse(IntegrationParams, job.params);
    const stored = await rowOf(storage.read, id);
    const repository = await repositoryRow(storage.read.repositories, stored.repositoryId);
    const known = await settled(stored, repository);
    if (known !== null) return known;
    progress(0.1, 'combining commits');
    // If hooks ran before a crash, they checked a commit on top of this commit of the target branch. The same commit is
    // used again, so the integration fails if the branch has moved since.
    const beforeSha = (await hooks.startedOn(job)) ?? (await git.tipOf(repository, stored.into));
    const { strategy, sourceSha } = stored;
    const spec = { strategy, into: beforeSha, from: sourceSha, message };
    const combined = await withHooks(job, stored, spec, await git.combine(repository, spec));
    if (combined.commit === null) {
      const { conflicts } = combined;
      return end(id, { beforeSha, state: 'conflicts', conflicts }, 'conflicted');
    }
    // The commit is stored before the branch is moved, so that the next server can determine whether the move was made.
    const afterSha = combined.commit;
    await storage.write(SYSTEM, (tx) => tx.integrations.update(id, { beforeSha, afterSha }));
    progress(0.6, `updating ${stored.into}`);
    if (afterSha !== beforeSha) {
      await git.keepCommits(repository, { integrationId: id, source: sourceSha, target: afterSha });
      await git.moveBranch(repository, moveOf({ ...stored, beforeSha, afterSha }));
    }
    return end(id, { state: 'integrated' }, 'integrated');
  }

  /**
   * Returns the integration if it has already ended, or if its target branch was moved before a crash; null if the
   * target branch must still be moved.
   */
  async function settled(row: IntegrationRow, repository: RepositoryRow): Promise<IntegrationRow | null> {
    if (row.state !== 'running') return row;
    if (row.afterSha === null) return null;
    const state = await git.settleMove(repository, moveOf(row));
    if (state === 'before' || !(await isMoved(row))) return null;
    return end(row.id, { state: 'integrated' }, 'integrated');
  }

  /**
   * Whether the target branch contains the commit to which the integration moves it. False if this cannot be
   * determined.
   */
  async function isMoved({ repositoryId, into, afterSha }: IntegrationRow): Promise<boolean> {
    const repository = await storage.read.repositories.get(repositoryId);
    if (afterSha === null || repository === undefined) return false;
    try {
      return await git.contains(repository, await git.tipOf(repository, into), afterSha);
    } catch {
      return false;
    }
  }

  /**
   * Returns the result to store for an integration that threw an error. If the target branch had already been moved,
   * the integration counts as integrated and can be undone.
   */
  async function endAfterError(id: string, error: unknown): Promise<[patch: Partial<IntegrationRow>, Ending]> {
    if (await isMoved(await rowOf(storage.read, id))) return [{ state: 'integrated' }, 'integrated'];
    const { code: errorCode, message: errorMessage } = toStoredError(error);
    return [{ state: 'failed', errorCode, errorMessage }, 'failed'];
  }

  /**
   * Runs the integration. If it throws an error, stores how the integration ended, and throws the error again unless
   * the target branch had already been moved.
   */
  async function runOnce(job: JobRow, progress: Progress) {
    const { integrationId: id } = v.parse(IntegrationParams, job.params);
    const { into, repositoryId, state, errorCode, errorMessage } = await rowOf(storage.read, id);
    // The integration failed, but the previous server died before it stored the end of the job. So the job fails now,
    // with the stored error.
    if (state === 'failed') throw new ConsoleError((errorCode ?? 'INTERNAL') as ErrorCode, errorMessage ?? '', {});
    try {
      return await alone({ into, repositoryId }, () => integrate(job, progress));
    } catch (error) {
      const ended = await end(id, ...(await endAfterError(id, error)));
      if (ended.state === 'failed') throw error;
      return ended;
    }
  }

  /**
   * Runs the follow-up of an integration: clean-up, or delegation of the conflict resolution. Returns a list with the
   * error message if the follow-up fails; otherwise an empty list.
   */
  async function followUp(row: IntegrationRow, { caller, cleanup, resolve }: FollowUp): Promise<string[]> {
    try {
      if (row.state === 'conflicts' && resolve && row.resolvingSessionId === null) await followUps.resolve(row, caller);
      if (row.state === 'integrated' && cleanup !== null && row.cleanup === null) {
        const result = await followUps.cleanUp(row, cleanup, caller);
        await storage.write(SYSTEM, (tx) => tx.integrations.update(row.id, { cleanup: result }));
      }
      return [];
    } catch (error) {
      const { code, message } = toStoredError(error);
      if (code === 'INTERNAL') deps.onError(error, row.id);
      return [message];
    }
  }

  async function run(job: JobRow): Promise<void> {
    const params = v.parse(IntegrationParams, job.params);
    await jobs.run(job, async (progress) => {
      const ended = await runOnce(job, progress);
      progress(0.8, 'cleaning up');
      const problems = await followUp(ended, params.followUp);
      const row = await rowOf(storage.read, ended.id);
      const { commit, conflicts, cleanup, resolvingSessionId, undoableUntil } = presentIntegration(row, now());
      const check = await checkOf(storage.read, row.repositoryId, row.sourceSha);
      const { id: integrationId, into, beforeSha: before } = row;
      const outcome = { commit, before, conflicts, check, cleanup, resolvingSessionId, problems, undoableUntil };
      return { integrationId, into, ...outcome } satisfies JobResultOf<'integration'>;
    });
  }

  /** @throws CONFLICT with the reason why the integration cannot be undone. */
  function requireUndoable(row: IntegrationRow): asserts row is IntegrationRow & { afterSha: string } {
    const { state, endedAt, afterSha, beforeSha, into, id: integrationId } = row;
    const refuse = (why: string) => {
      throw new ConsoleError('CONFLICT', `This integration cannot be undone: ${why}.`, { integrationId, state });
    };
    if (state !== 'integrated' || afterSha === null) refuse(`its state is ${state}`);
    if (afterSha === beforeSha) refuse(`${into} already contained the work, so the integration changed nothing`);
    if (now().getTime() - Date.parse(endedAt ?? '') > INTEGRATION_UNDO_MS) refuse('it ended too long ago');
  }

  async function undo(author: Author, id: string): Promise<IntegrationRow> {
    const { repositoryId, into } = await rowOf(storage.read, id);
    const repository = await repositoryRow(storage.read.repositories, repositoryId);
    return alone({ repositoryId, into }, async () => {
      const row = await storage.write(author, async (tx) => {
        const fresh = await rowOf(tx, id);
        requireUndoable(fresh);
        await tx.integrations.update(id, { undoing: true });
        return fresh;
      });
      // An earlier undo may have moved the branch without storing the result, for example because the disk was full. If
      // so, the branch is not moved again.
      const isUndone = row.undoing && (await git.settleMove(repository, undoOf(row))) === 'after';
      if (!isUndone) {
        await git.moveBranch(repository, undoOf(row)).catch(async (error) => {
          await storage.write(author, (tx) => tx.integrations.update(id, { undoing: false }));
          throw error;
        });
      }
      return store(author, id, { state: 'undone', undoing: false }, 'undone');
    });
  }

  async function settleUndo(row: IntegrationRow): Promise<void> {
    const repository = await storage.read.repositories.get(row.repositoryId);
    const state = repository === undefined ? 'before' : await git.settleMove(repository, undoOf(row));
    if (state === 'after') await store(SYSTEM, row.id, { state: 'undone', undoing: false }, 'undone');
    else await storage.write(SYSTEM, (tx) => tx.integrations.update(row.id, { undoing: false }));
  }

  /** Ends an integration that is still stored as running although its job has ended. */
  async function settleUnfinished(row: IntegrationRow): Promise<void> {
    const job = row.jobId === null ? undefined : await storage.read.jobs.get(row.jobId);
    // The job has not ended. So recovery runs it again, and the job then ends the integration.
    if (job?.state === 'running') return;
    const lost = {
      code: 'INTERNAL',
      message: 'The result of this integration is unknown. Integrate the branch again.',
    };
    const { code, message } = job?.error ?? lost;
    const [patch, ending] = await endAfterError(row.id, new ConsoleError(code as ErrorCode, message));
    await store(SYSTEM, row.id, { ...patch, endedAt: now().toISOString() }, ending);
  }

  async function recover(onError: Parameters<Integrations['recover']>[0]): Promise<void> {
    const { integrations } = storage.read;
    const report = (row: IntegrationRow) => (error: unknown) => onError(error, { integrationId: row.id });
    for (const row of await integrations.find({ undoing: true })) await settleUndo(row).catch(report(row));
    for (const row of await integrations.find({ state: 'running' })) await settleUnfinished(row).catch(report(row));
  }

  return {
    async create(tx, author, { message, ...plan }, followUp) {
      const id = newId();
      const job = await jobs.create(tx, author, 'integration', { integrationId: id, message, followUp });
      const row = { id, ...plan, jobId: job.id, createdAt: now().toISOString() };
      const integration = await tx.integrations.insert(row);
      await record(tx, integration, 'started');
      return { job, integration };
    },
    run,
    undo,
    recover,
  };
}

function moveOf({ id, into, branch, beforeSha, afterSha, strategy }: IntegrationRow): BranchMove {
  const reason = `agent-console: ${strategy} of ${branch} (${id})`;
  return { branch: into, from: beforeSha, to: afterSha ?? beforeSha, reason };
}

function undoOf({ id, into, beforeSha, afterSha }: IntegrationRow): BranchMove {
  return { branch: into, from: afterSha ?? beforeSha, to: beforeSha, reason: `agent-console: undo (${id})` };
}

async function record(tx: Transaction, row: IntegrationRow, ending: Ending | 'started'): Promise<void> {
  const { id, worktreeId, repositoryId, into, strategy, afterSha, conflicts, errorCode, errorMessage } = row;
  const data: EventDataOf<'integration.started'> = {
    worktreeId,
    repositoryId,
    into,
    strategy,
    commit: ending === 'integrated' ? afterSha : null,
    conflicts: conflicts.length,
    ...(errorCode === null ? {} : { error: { code: errorCode, message: errorMessage ?? '' } }),
  };
  await tx.record({ type: `integration.${ending}`, subject: { kind: 'integration', id }, data });
}

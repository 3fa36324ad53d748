import { withDeadline } from '@agent-console/shared/deadline';
import { ConsoleError, type ErrorCode } from '@agent-console/shared/errors';
import { CALL_MAX_MS } from '@agent-console/shared/limits/calls';
import { DELEGATION_LIMIT_MS } from '@agent-console/shared/limits/sessions';
import type { DelegationState } from '@agent-console/shared/models/delegation';
import { PREPARING } from '../../domain/delegation.ts';
import { LIVE_WORKER } from '../../domain/states.ts';
import { failedBy, isOpen } from '../../domain/tasks.ts';
import type { EventHub } from '../../ports/events.ts';
import type { DelegationRow, SessionRow, TaskRow } from '../../ports/rows.ts';
import type { Readers, Storage, Transaction } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import { endOpenWork } from '../changes/session-removal.ts';
import { about, aboutSession } from '../changes/subjects.ts';
import { type ChangeDeps, startTask } from '../changes/task-changes.ts';
import { toStoredError } from '../present.ts';
import type { Processes } from '../processes/processes.ts';
import { endWorkerRow, NEVER_RAN } from '../processes/worker-changes.ts';
import { failWorktree } from '../worktrees/abandon.ts';
import type { CheckoutResult, WorktreeMaker } from '../worktrees/maker.ts';
import { sessionsIn } from '../worktrees/occupancy.ts';

/** Executes the steps of a stored delegation, and undoes all steps if one fails. */
export interface DelegationSaga {
  /** Continues the delegation in the background from its stored state. */
  run(delegationId: string): void;
  /**
   * Resolves with the row once the delegation is prepared (state `prompting` or later), or with the row in an earlier
   * state if `signal` aborts or the time limit of a call is reached. Rejects with the error of the failed step, even if
   * the undo has not finished yet.
   */
  wait(delegationId: string, signal: AbortSignal): Promise<DelegationRow>;
  /**
   * Continues the unfinished delegations that are not being continued already, such as those of the previous server.
   * Called at the start and then periodically.
   */
  recover(): Promise<void>;
  idle(): Promise<void>;
  /**
   * Called when the server stops: begins no further steps, stores no more failures, and ends the creation of
   * worktrees. As after a crash, the next server continues the delegations from their stored states.
   */
  close(): Promise<void>;
}

export interface SagaDeps extends ChangeDeps {
  storage: Storage;
  hub: EventHub;
  maker: WorktreeMaker;
  processes: Processes;
  onError: (error: unknown, delegationId: string) => void;
}

/** A worktree that is being created for a delegation. */
interface Creation {
  /** Ends the creation of the worktree if the delegated session or its task was cancelled. */
  endIfCancelled(): void;
  /** Ends the creation of the worktree. Called when the server stops. */
  end(): void;
  checkout: Promise<CheckoutResult>;
}

/** Thrown in a step of a delegation that does not continue because the server stops. */
class Stopping extends Error {}

/** Returns the row of a delegation, which must exist. */
export async function delegationRow(read: Pick<Readers, 'delegations'>, delegationId: string): Promise<DelegationRow> {
  const row = await read.delegations.get(delegationId);
  if (row === undefined) throw new Error(`delegation ${delegationId} has no row`);
  return row;
}

/** Returns the error of a failed delegation, naming the step that failed. */
export function failureOf(row: DelegationRow): ConsoleError {
  const { code, message } = storedFailure(row);
  return new ConsoleError(code, message, { failedStep: row.failedStep, delegationId: row.id });
}

function storedFailure({ errorCode, errorMessage }: DelegationRow): { code: ErrorCode; message: string } {
  return { code: (errorCode ?? 'INTERNAL') as ErrorCode, message: errorMessage ?? 'The delegation failed.' };
}

/**
 * Milliseconds until the first retry of a delegation whose steps can be neither completed nor undone, for example
 * because the database is locked. The delay doubles with each retry.
 */
const RETRY_MS = 1_000;
const RETRY_MAX_MS = 60_000;

export function createSaga(deps: SagaDeps): DelegationSaga {
  const { storage, maker, processes } = deps;
  const running = new Map<string, Promise<void>>();
  /** Worktrees that are being created, by session id. */
  const creating = new Map<string, Creation>();
  let closed = false;

  deps.hub.onEvents((events) => {
    for (const { event, sessionId } of events) {
      if (sessionId !== null && CANCELS.has(event.type)) creating.get(sessionId)?.endIfCancelled();
      if (event.type !== 'task.ended' && event.type !== 'input.accepted') continue;
      const taskId = event.type === 'task.ended' ? event.subject.id : event.data.taskId;
      if (typeof taskId === 'string') handOver(taskId).catch((error) => deps.onError(error, taskId));
    }
  });

  /** Marks a delegation as handed over once its agent has accepted the prompt or its task has ended. */
  async function handOver(taskId: string): Promise<void> {
    const row = await storage.read.delegations.first({ taskId, state: 'prompting' });
    if (row !== undefined) await advance(row.id, 'handed_over');
  }

  function advance(delegationId: string, state: DelegationState, patch: Partial<DelegationRow> = {}): Promise<void> {
    return storage.write(SYSTEM, (tx) => advanceIn(tx, delegationId, state, patch));
  }

  async function advanceIn(
    tx: Transaction,
    delegationId: string,
    state: DelegationState,
    patch: Partial<DelegationRow> = {},
  ): Promise<void> {
    const row = await tx.delegations.get(delegationId);
    if (row === undefined || row.state === 'rejected' || row.state === 'handed_over') return;
    await tx.delegations.update(delegationId, { ...patch, state, updatedAt: deps.now().toISOString() });
    const data = { state, parentSessionId: row.parentSessionId };
    await tx.record({ type: 'delegation.advanced', ...about('delegation', row), data });
  }

  /**
   * Creates the worktree. One transaction marks the worktree as ready and advances the delegation. So after a crash, no
   * worktree is ready without a delegation that uses it.
   */
  async function makeWorktree(row: DelegationRow): Promise<void> {
    // The time limit starts again with each server, because nothing works on the worktree while no server runs.
    const deadline = deps.now().getTime() + DELEGATION_LIMIT_MS;
    // If the state `creating_worktree` is already stored, the previous server died during this step, and it is unknown
    // which git commands were completed. So the worktree is discarded and created again.
    if (row.state === 'creating_worktree') await maker.discard(row.worktreeId);
    await advance(row.id, 'creating_worktree');
    const cancelled = new AbortController();
    const endIfCancelled = () =>
      void queuedTaskOf(storage.read, row).catch((error) => {
        if (error instanceof ConsoleError) cancelled.abort(error);
      });
    if (closed) throw new Stopping();
    const { base, useRemote } = row;
    const checkout = maker
      .checkOut(row.worktreeId, { base, useRemote }, deadline, cancelled.signal)
      .finally(() => creating.delete(row.sessionId));
    creating.set(row.sessionId, { endIfCancelled, end: () => cancelled.abort(new Stopping()), checkout });
    // The session or its task may have been cancelled before the delegation was added to `creating`.
    endIfCancelled();
    const built = await checkout;
    await storage.write(SYSTEM, async (tx) => {
      await queuedTaskOf(tx, row);
      await maker.markReady(tx, row.worktreeId, built);
      await advanceIn(tx, row.id, 'starting_agent', { warnings: [...row.warnings, ...built.warnings] });
    });
  }

  async function runSteps(row: DelegationRow): Promise<void> {
    if (row.state !== 'starting_agent') await makeWorktree(row);
    if (closed) throw new Stopping();
    await processes.startAgentAs(SYSTEM, row.sessionId, row.workerId);
    await storage.write(SYSTEM, async (tx) => {
      await startTask(tx, deps, await queuedTaskOf(tx, row));
      await tx.sessions.update(row.sessionId, { queueHeld: false });
      await advanceIn(tx, row.id, 'prompting');
    });
  }

  async function execute(delegationId: string): Promise<void> {
    const row = await delegationRow(storage.read, delegationId);
    if (!PREPARING.includes(row.state)) return;
    if (row.failedStep !== null) return undo(row);
    try {
      await runSteps(row);
    } catch (error) {
      // The step may have failed only because the server stops. While the task is queued, the next server can repeat
      // the step, so the failure is not stored.
      if (closed && (await isQueued(row))) return;
      const { code, message } = toStoredError(error);
      if (code === 'INTERNAL') deps.onError(error, delegationId);
      const failed = await delegationRow(storage.read, delegationId);
      const failure = { failedStep: failed.state, errorCode: code, errorMessage: message };
      await storage.write(SYSTEM, (tx) => tx.delegations.update(delegationId, failure));
      await undo({ ...failed, ...failure });
    }
  }

  function isQueued(row: DelegationRow): Promise<boolean> {
    return queuedTaskOf(storage.read, row).then(
      () => true,
      (error) => !(error instanceof ConsoleError),
    );
  }

  /**
   * Saves a ready worktree as far as possible and sets it back to `creating`, so that no work starts in the worktree
   * and `discard` removes it. A worktree that another session uses stays ready.
   */
  async function reclaim({ id, worktreeId, sessionId }: DelegationRow): Promise<void> {
    const isUnused = async (read: Pick<Readers, 'worktrees' | 'sessions'>) => {
      const worktree = await read.worktrees.get(worktreeId);
      if (worktree?.state !== 'ready') return false;
      return (await sessionsIn(read, worktree)).every((session) => session.id === sessionId);
    };
    if (!(await isUnused(storage.read))) return;
    try {
      await maker.save(worktreeId);
    } catch (error) {
      // A retryable error is thrown, so that the undo is repeated later and can save the worktree then.
      if (error instanceof ConsoleError && error.retryable) throw error;
      deps.onError(error, id);
    }
    await storage.write(SYSTEM, async (tx) => {
      if (await isUnused(tx)) await tx.worktrees.update(worktreeId, { state: 'creating' });
    });
  }

  /** Undoes all steps. A step that is already undone is skipped, so the undo can be repeated after a crash. */
  async function undo(row: DelegationRow): Promise<void> {
    const live = await storage.read.workers.find({ sessionId: row.sessionId, ...LIVE_WORKER });
    for (const worker of live) await processes.end(worker.id);
    await reclaim(row);
    await maker.discard(row.worktreeId);
    const { code, message } = storedFailure(row);
    const at = deps.now().toISOString();
    await storage.write(SYSTEM, async (tx) => {
      const current = await tx.delegations.get(row.id);
      if (current === undefined || current.state === 'rejected') return;
      await endWorkerRow(tx, deps, row.workerId, NEVER_RAN);
      // A caller that still waits receives the error as the response to its call. Only a caller whose call has already
      // returned needs a notice.
      await tx.tasks.update(row.taskId, { notifyOnCompletion: current.notify && current.answered });
      // Also ends further prompts that wait in the queue of the session.
      await endOpenWork(tx, deps, row.sessionId, failedBy({ code, message }));
      const undone = (await tx.worktrees.get(row.worktreeId))?.state === 'creating';
      if (undone) await failWorktree(tx, row.worktreeId, { code, message }, row.branch);
      const { sessionId, parentSessionId, failedStep } = row;
      const isRemoved = (await tx.sessions.get(sessionId))?.removedAt != null;
      await tx.sessions.update(sessionId, { ...(isRemoved ? {} : { removedAt: at }), mark: 'failed' });
      await tx.delegations.update(row.id, { state: 'rejected', updatedAt: at });
      if (!isRemoved)
        await tx.record({ type: 'session.removed', ...aboutSession(sessionId), data: { parentSessionId } });
      const data = { failedStep, error: { code, message }, parentSessionId };
      await tx.record({ type: 'delegation.rejected', ...about('delegation', row), data });
    });
  }

  function run(delegationId: string, pauseMs = RETRY_MS): void {
    if (closed || running.has(delegationId)) return;
    const work = execute(delegationId)
      .catch((error) => {
        if (closed) return;
        deps.onError(error, delegationId);
        setTimeout(() => run(delegationId, Math.min(2 * pauseMs, RETRY_MAX_MS)), pauseMs).unref();
      })
      .finally(() => running.delete(delegationId));
    running.set(delegationId, work);
  }

  return {
    run,
    async wait(delegationId, signal) {
      const limit = withDeadline(signal, CALL_MAX_MS - ANSWER_MS);
      const work = running.get(delegationId);
      if (work !== undefined) await Promise.race([work, aborted(limit.signal)]);
      limit.release();
      const row = await storage.write(SYSTEM, async (tx) => {
        const current = await delegationRow(tx, delegationId);
        // If this call returns before the delegation is prepared, `answered` records that a notice must report a later
        // failure.
        const answered = current.failedStep === null && PREPARING.includes(current.state);
        if (answered) await tx.delegations.update(delegationId, { answered });
        return current;
      });
      if (row.state === 'rejected' || row.failedStep !== null) throw failureOf(row);
      return row;
    },
    async recover() {
      for (const row of await storage.read.delegations.find({ state: [...PREPARING] })) {
        if (running.has(row.id)) continue;
        // The calls that created these delegations ended with the previous server, so a notice must report a failure to
        // the callers.
        await storage.write(SYSTEM, (tx) => tx.delegations.update(row.id, { answered: true }));
        run(row.id);
      }
      for (const row of await storage.read.delegations.find({ state: 'prompting' })) {
        const task = await storage.read.tasks.get(row.taskId);
        const acceptedInput = await storage.read.inputs.first({ taskId: row.taskId, state: ['accepted', 'ended'] });
        if (acceptedInput !== undefined || (task !== undefined && !isOpen(task.status))) await handOver(row.taskId);
      }
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.values());
    },
    async close() {
      closed = true;
      const creations = [...creating.values()];
      for (const { end } of creations) end();
      // The git commands must end before the next server creates the same worktrees again.
      await Promise.allSettled(creations.map(({ checkout }) => checkout));
    },
  };
}

/**
 * Returns the task to start. If this function throws, all steps of the delegation are undone.
 * @throws CONFLICT if the session is not open or is archived, or if the task is no longer queued.
 */
async function queuedTaskOf(read: Pick<Readers, 'sessions' | 'tasks'>, row: DelegationRow): Promise<TaskRow> {
  const session = await read.sessions.get(row.sessionId);
  const task = await read.tasks.get(row.taskId);
  if (session?.mark === 'open' && session.archivedAt === null && task?.status === 'queued') return task;
  throw new ConsoleError('CONFLICT', `${whyNotQueued(session, task)} while the worktree was being created.`, {
    sessionId: row.sessionId,
  });
}

function whyNotQueued(session: SessionRow | undefined, task: TaskRow | undefined): string {
  // The removal of a session deletes its tasks, so a missing task means that the session was removed.
  if (session === undefined || session.removedAt !== null || task === undefined) return 'The session was removed';
  if (task.status !== 'queued') return `The task was ${task.status}`;
  return `The session was ${session.archivedAt === null ? session.mark : 'archived'}`;
}

/**
 * Events after which `queuedTaskOf` may throw, because the session is no longer open or the task is no longer queued.
 */
const CANCELS: ReadonlySet<string> = new Set([
  'session.stopped',
  'session.paused',
  'session.archived',
  'session.removed',
  'task.ended',
]);

/** Time in milliseconds within a call's time limit that is reserved for sending the response. */
const ANSWER_MS = 500;

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

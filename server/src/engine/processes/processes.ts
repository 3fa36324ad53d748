import { ConsoleError, ERRORS, notFound } from '@agent-console/shared/errors';
import { END_GRACE_MS, END_WAIT_MS, EXIT_SHOWN_CHARS, START_WAIT_MS } from '@agent-console/shared/limits/processes';
import { modeApplies } from '../../domain/permission-mode.ts';
import { LIVE_STATES } from '../../domain/states.ts';
import { ACTIVE_STATUSES, failedBy } from '../../domain/tasks.ts';
import type { PrivateValues } from '../../ports/private-values.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { ProcessExit, Runner } from '../../ports/runner.ts';
import type { Screens } from '../../ports/screens.ts';
import type { Author, Readers, Transaction } from '../../ports/storage.ts';
import { SYSTEM } from '../changes/author.ts';
import { removeClientServers } from '../mcp-servers/client-servers.ts';
import { lastOutput, withHeading } from '../output/last-output.ts';
import type { AgentTerminals, TerminalCommand } from '../protocol/agent-terminals.ts';
import { withTimeout } from '../scheduling/timeouts.ts';
import type { WorktreeMaker } from '../worktrees/maker.ts';
import { notReady, refuseUnsettled } from '../worktrees/occupancy.ts';
import { createAgentTerminals } from './agent-terminals.ts';
import { createDeletedCwdTracker } from './deleted-cwd.ts';
import { createLauncher, type LauncherDeps } from './launcher.ts';
import { newWorkerRow } from './new-worker.ts';
import { createRecovery } from './process-recovery.ts';
import { storeSuccessor, successorOf } from './successor.ts';
import { endWorkerRow, NEVER_RAN } from './worker-changes.ts';
import type { WorkerWatcher } from './worker-watcher.ts';

/** Throws if no further process may start. Called in the transaction that stores a new worker. */
type Admission = (tx: Transaction) => Promise<void>;

/** Starts and ends the processes of sessions and keeps their rows up to date. */
export interface Processes {
  /**
   * Starts the session's agent and resumes its conversation, or returns the running agent.
   * @param clientServers MCP servers for a new process, besides those of the session
   * @throws NOT_FOUND or CONFLICT if no agent may be started in the session. TIMEOUT after START_WAIT_MS, while the
   * start continues. Otherwise the error with which the start failed.
   */
  startAgent(author: Author, sessionId: string, clientServers?: WorkerRow['clientServers']): Promise<WorkerRow>;
  /** Starts an agent without a time limit, for background work. `workerId` is the id for a new agent worker. */
  startAgentAs(author: Author, sessionId: string, workerId: string): Promise<WorkerRow>;
  /** Starts a shell. @throws the same errors as `startAgent`, and those of `admit`. */
  startTerminal(
    author: Author,
    sessionId: string,
    size: { cols: number; rows: number },
    admit: Admission,
  ): Promise<WorkerRow>;
  /**
   * Starts the command that `writeCommand` has stored for this worker id.
   * @throws the same errors as `startAgent`
   */
  startCommand(
    author: Author,
    sessionId: string,
    workerId: string,
    size: { cols: number; rows: number },
  ): Promise<WorkerRow>;
  /** Ends a worker's processes and stores their exit. @throws TIMEOUT after END_WAIT_MS, while ending continues. */
  end(workerId: string): Promise<void>;
  /** Whether `end` was called for a worker whose end is not stored yet. */
  isEnding(workerId: string): boolean;
  /**
   * Reattaches to the runner's processes and marks workers whose process is missing as lost. Called once, before the
   * first request.
   */
  recover(): Promise<void>;
  /** Marks all live workers as lost, because the runner and its processes are gone. */
  loseAll(): Promise<void>;
  /**
   * Whether the agent must not get another task, because its session's permission mode changed, its cwd was deleted or
   * its connection is broken.
   */
  isOutdated(session: SessionRow, agent: WorkerRow): Promise<boolean>;
  /** Terminals that agents open over their protocol. */
  terminals: AgentTerminals;
}

export interface ProcessesDeps extends LauncherDeps {
  runner: Runner;
  privateValues: Pick<PrivateValues, 'read' | 'remove'>;
  maker: Pick<WorktreeMaker, 'ensureCwd'>;
  watcher: Pick<WorkerWatcher, 'watch' | 'leave'>;
  /** Removes a session from the cache of views. Called after a change of the session's rows that records no event. */
  views: { invalidate(sessionId: string): void };
  screens: Pick<Screens, 'view' | 'lines' | 'drop'>;
  /** Whether a session belongs to an agent check. Such a session is stored as removed, but its agent may start. */
  isHidden(sessionId: string): boolean;
  onError: (error: unknown, workerId: string) => void;
}

/**
 * Whether an error means that the runner could not be reached or did not respond. The process may exist nevertheless.
 */
function isRunnerUnavailable(error: unknown): boolean {
  return error instanceof ConsoleError && error.code === 'RUNNER_UNAVAILABLE';
}

function stillStarting(): ConsoleError {
  return new ConsoleError(
    'TIMEOUT',
    `The runner has not started the process within ${START_WAIT_MS / 1_000} s. The process starts as soon as the runner responds, so check the session's workers before you retry. If this persists, run \`agent-console doctor\`.`,
  );
}

function stillEnding(workerId: string): ConsoleError {
  return new ConsoleError(
    'TIMEOUT',
    `The process has not ended within ${END_WAIT_MS / 1_000} s. The console is still ending the process, so check the worker before you retry.`,
    { workerId },
  );
}

const AGENT_SIZE = { cols: 120, rows: 36 };

export function createProcesses(deps: ProcessesDeps): Processes {
  const { storage, runner, host } = deps;
  const launcher = createLauncher(deps);
  const deletedCwd = createDeletedCwdTracker(host);
  const ending = new Map<string, { done: Promise<void>; resolve: () => void }>();
  const ends = new Map<string, Promise<void>>();
  const launching = new Map<string, Promise<WorkerRow>>();
  const recovery = createRecovery(deps, {
    launch,
    adopt: launcher.adopt,
    watch,
    handleExit,
    clear,
    forgetServers,
    settleEnding,
    releaseTerminals: () => terminals.releaseAbandoned(),
  });
  const terminals = createAgentTerminals(deps, { launch, end: endOnce, ended, refuseUnlessOpen });

  async function sessionOf(read: Pick<Readers, 'sessions'>, sessionId: string): Promise<SessionRow> {
    const session = await read.sessions.get(sessionId);
    if (session === undefined || isRemoved(session)) throw notFound('Session', sessionId);
    return session;
  }

  function isRemoved({ id, removedAt }: SessionRow): boolean {
    return removedAt !== null && !deps.isHidden(id);
  }

  /**
   * Starts the process of a stored worker. If another call is already starting the process, returns the result of that
   * call.
   */
  function launch(
    author: Author,
    session: SessionRow,
    worker: WorkerRow,
    command: TerminalCommand | null = null,
  ): Promise<WorkerRow> {
    const known = launching.get(worker.id);
    if (known !== undefined) return known;
    const started = launchOnce(author, session, worker, command).finally(() => launching.delete(worker.id));
    launching.set(worker.id, started);
    return started;
  }

  async function launchOnce(
    author: Author,
    session: SessionRow,
    worker: WorkerRow,
    command: TerminalCommand | null,
  ): Promise<WorkerRow> {
    const current = await storage.read.workers.get(worker.id);
    if (current !== undefined && current.state !== 'starting') return current;
    try {
      const started = await launcher.launch(author, session, worker, command);
      watch(started);
      return started;
    } catch (error) {
      if (!isRunnerUnavailable(error)) await failStart(worker, error);
      else if (runner.gone) await recovery.markLost(worker);
      // If the runner is unavailable but not gone, this server is stopping and has closed its connection to the runner.
      // The process may exist, and the next server reattaches to it.
      throw error;
    }
  }

  /**
   * Returns the session. Called inside the transaction, because the session or the worktree may just have changed.
   * @throws NOT_FOUND if the session was removed. CONFLICT if it is archived, if its worktree is not ready, if its
   * folder is in a worktree that is being created, restored or removed, or, for an agent, if `awaitsAgent` is false.
   */
  async function refuseUnlessOpen(tx: Transaction, sessionId: string, type: 'agent' | 'terminal'): Promise<SessionRow> {
    const session = await sessionOf(tx, sessionId);
    const blockedBy =
      session.archivedAt !== null ? 'archived' : type === 'agent' && !(await awaitsAgent(tx, session)) && session.mark;
    if (blockedBy) {
      const message = `This session is ${blockedBy}, so no process is started in it. Unarchive or resume the session first.`;
      throw new ConsoleError('CONFLICT', message, { sessionId, status: blockedBy });
    }
    if (session.worktreeId === null) {
      await refuseUnsettled(tx, session.cwd);
      return session;
    }
    const worktree = await tx.worktrees.get(session.worktreeId);
    if (worktree !== undefined && worktree.state !== 'ready') throw notReady(worktree);
    return session;
  }

  /** Whether the session may need an agent: it is open, or it is completed or failed and has an active task. */
  async function awaitsAgent(tx: Transaction, { id, mark }: SessionRow): Promise<boolean> {
    if (mark !== 'completed' && mark !== 'failed') return mark === 'open';
    return (await tx.tasks.count({ sessionId: id, status: ACTIVE_STATUSES })) > 0;
  }

  async function failStart(worker: WorkerRow, error: unknown): Promise<void> {
    // A process whose start was not stored would run unnoticed. So the process is ended, if it exists.
    await runner.end(worker.id, END_GRACE_MS).catch(() => undefined);
    const code = error instanceof ConsoleError ? error.code : 'INTERNAL';
    const message =
      error instanceof ConsoleError
        ? error.message
        : 'The process could not be started. See the server log for details.';
    await clear(worker.id);
    const end = { ...NEVER_RAN, warning: message };
    await storage.write(SYSTEM, (tx) => endWorkerRow(tx, deps, worker.id, end, failedBy({ code, message })));
    await forgetServers(worker.id);
  }

  /** If a session's folder cannot be restored, fails the worker that was to replace an agent with a deleted cwd. */
  async function failSuccessor(sessionId: string, error: unknown): Promise<void> {
    if (!(error instanceof ConsoleError) || ERRORS[error.code].retryable) return;
    const waiting = await storage.read.workers.first({ sessionId, type: 'agent', state: ['starting'] });
    if (waiting !== undefined && !launching.has(waiting.id)) await failStart(waiting, error);
  }

  /**
   * Removes the files of a worker's process. Called before the end of the process is stored, because later cleanups
   * skip ended workers. Never rejects.
   */
  async function clear(workerId: string): Promise<void> {
    await host.clearWorker(workerId).catch((error) => deps.onError(error, workerId));
  }

  /**
   * Deletes the description of the MCP servers that a client provided for an ended worker, unless the worker that
   * replaces it needs the description. After a crash, the next start of the console repeats this. Never rejects.
   */
  async function forgetServers(workerId: string): Promise<void> {
    await removeClientServers({ read: storage.read, privateValues: deps.privateValues }, workerId).catch((error) =>
      deps.onError(error, workerId),
    );
  }

  /**
   * Returns the last lines that an agent showed before it failed during a task, because they usually contain the
   * reason. Returns an empty text for any other exit.
   */
  async function shownAtExit(workerId: string, { exitCode }: ProcessExit): Promise<string> {
    const worker = exitCode === null || exitCode === 0 ? undefined : await storage.read.workers.get(workerId);
    if (worker?.type !== 'agent') return '';
    const { sessionId } = worker;
    const task = await storage.read.tasks.first({ sessionId, status: ACTIVE_STATUSES });
    return task === undefined ? '' : withHeading(await lastOutput(deps, worker, EXIT_SHOWN_CHARS));
  }

  function watch(worker: WorkerRow): void {
    deps.watcher.watch(worker, (exit) => handleExit(worker.id, exit));
  }

  async function handleExit(workerId: string, exit: ProcessExit): Promise<void> {
    // A process whose runner died has neither exit code nor Unix signal, so its end is unknown.
    const state = exit.exitCode === null && exit.signal === null ? 'lost' : 'exited';
    const shown = await shownAtExit(workerId, exit);
    const successor = state === 'exited' && (await outdatedById(workerId)) ? deps.newId() : null;
    await clear(workerId);
    await storage.write(SYSTEM, async (tx) => {
      const row = successor === null ? null : await successorOf(tx, deps, workerId, successor);
      await endWorkerRow(tx, deps, workerId, { state, ...exit, shown });
      if (row !== null) await storeSuccessor(tx, row);
    });
    deletedCwd.forget(workerId);
    await forgetServers(workerId);
    await releaseTerminals(workerId);
    settleEnding(workerId);
    // Errors are ignored. If the runner has ended, it has no record of the worker any more. If the runner is busy, the
    // next start of the server repeats the call.
    await runner.forget(workerId).catch(() => undefined);
  }

  async function isOutdated(session: SessionRow, agent: WorkerRow): Promise<boolean> {
    const { agentId, permissionMode } = session;
    if (agent.protocol?.phase === 'broken' || (await deletedCwd.has(session, agent))) return true;
    const resumes = await deps.catalogue.resumes(agentId);
    return modeApplies(permissionMode, { mode: agent.permissionMode }, resumes) === 'nextTask';
  }

  async function outdatedById(workerId: string): Promise<boolean> {
    const worker = await storage.read.workers.get(workerId);
    const session = worker?.type === 'agent' ? await storage.read.sessions.get(worker.sessionId) : undefined;
    return worker !== undefined && session !== undefined && isOutdated(session, worker);
  }

  async function releaseTerminals(workerId: string): Promise<void> {
    const worker = await storage.read.workers.get(workerId);
    if (worker?.type === 'agent') await terminals.releaseAll(worker);
  }

  function settleEnding(workerId: string): void {
    ending.get(workerId)?.resolve();
    ending.delete(workerId);
  }

  /** Resolves once a worker's process has ended and the end is stored. */
  async function ended(workerId: string): Promise<void> {
    const done = whenEnded(workerId);
    const worker = await storage.read.workers.get(workerId);
    if (worker === undefined || !LIVE_STATES.includes(worker.state)) settleEnding(workerId);
    await done;
  }

  function whenEnded(workerId: string): Promise<void> {
    const known = ending.get(workerId);
    if (known !== undefined) return known.done;
    let resolve = () => {};
    const done = new Promise<void>((settle) => {
      resolve = settle;
    });
    ending.set(workerId, { done, resolve });
    return done;
  }

  async function start(
    author: Author,
    sessionId: string,
    type: 'agent' | 'terminal',
    size: { cols: number; rows: number },
    workerId: string,
    { clientServers = null, admit }: { clientServers?: WorkerRow['clientServers']; admit?: Admission } = {},
  ) {
    const session = await sessionOf(storage.read, sessionId);
    await deps.maker.ensureCwd(session).catch(async (error: unknown) => {
      await failSuccessor(sessionId, error);
      throw error;
    });
    const worker = await storage.write(author, async (tx) => {
      await refuseUnlessOpen(tx, sessionId, type);
      const live = type === 'agent' && (await tx.workers.first({ sessionId, type: 'agent', state: LIVE_STATES }));
      if (live) return live;
      if ((await tx.workers.get(workerId)) !== undefined) {
        throw new ConsoleError(
          'RUNNER_UNAVAILABLE',
          'The process of the agent was lost with the runner before the agent received its prompt. Try again.',
          { workerId },
        );
      }
      await admit?.(tx);
      const row = await tx.workers.insert(newWorkerRow(deps, session, { id: workerId, type, ...size, clientServers }));
      await tx.remember({ workerId: row.id });
      return row;
    });
    if (worker.id === workerId) deps.views.invalidate(sessionId);
    return worker.state === 'running' ? worker : launch(author, session, worker);
  }

  /** Ends a worker's processes. If another call is already ending them, waits for that call. */
  function endOnce(workerId: string): Promise<void> {
    const known = ends.get(workerId) ?? end(workerId).finally(() => ends.delete(workerId));
    ends.set(workerId, known);
    return known;
  }

  async function end(workerId: string): Promise<void> {
    // Waits until the runner has confirmed a start in progress, because that start may still create a process.
    await launching.get(workerId)?.catch(() => undefined);
    const state = async () => (await storage.read.workers.get(workerId))?.state;
    if ((await state()) === 'starting') {
      // The worker has no process yet. Once its end is stored, no process can be started for it.
      await storage.write(SYSTEM, (tx) => endWorkerRow(tx, deps, workerId, NEVER_RAN));
      await forgetServers(workerId);
    }
    if ((await state()) !== 'running') return;
    const ended = whenEnded(workerId);
    await deps.watcher.leave(workerId).catch((error) => deps.onError(error, workerId));
    await runner.end(workerId, END_GRACE_MS).catch(async (error) => {
      // The runner throws if the process has ended and the runner has forgotten it. The error is ignored, because the
      // worker is no longer stored as running.
      if ((await state()) === 'running') throw error;
    });
    await ended;
  }

  return {
    startAgent: (author, sessionId, clientServers = null) =>
      withTimeout(
        start(author, sessionId, 'agent', AGENT_SIZE, deps.newId(), { clientServers }),
        START_WAIT_MS,
        stillStarting,
      ),
    startAgentAs: (author, sessionId, workerId) => start(author, sessionId, 'agent', AGENT_SIZE, workerId),
    startTerminal: (author, sessionId, size, admit) =>
      withTimeout(start(author, sessionId, 'terminal', size, deps.newId(), { admit }), START_WAIT_MS, stillStarting),
    startCommand: (author, sessionId, workerId, size) =>
      withTimeout(start(author, sessionId, 'terminal', size, workerId), START_WAIT_MS, stillStarting),
    end: (workerId) => withTimeout(endOnce(workerId), END_WAIT_MS, () => stillEnding(workerId)),
    isEnding: (workerId) => ends.has(workerId),
    recover: recovery.recover,
    loseAll: recovery.loseAll,
    isOutdated,
    terminals,
  };
}

import { ConsoleError, notFound } from '@agent-console/shared/errors';
import { END_GRACE_MS } from '@agent-console/shared/limits';
import { workerEnvironment } from '../../domain/environment.ts';
import type { Outcome } from '../../domain/tasks.ts';
import type { AgentCatalogue } from '../agents/catalogue.ts';
import { SYSTEM } from '../author.ts';
import { endWorkerRow } from '../conductor/signs.ts';
import type { AgentKinds } from '../ports/agents.ts';
import type { Places } from '../ports/places.ts';
import type { SessionRow, TaskRow, WorkerRow } from '../ports/rows.ts';
import type { ProcessExit, ProcessInfo, Runner, SpawnSpec } from '../ports/runner.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Author, Storage } from '../ports/storage.ts';
import type { Pen } from '../task-changes.ts';
import type { WorktreeMaker } from '../worktrees/maker.ts';
import type { Watching } from './watching.ts';

/** Starts and ends the processes of sessions, and keeps their rows true. */
export interface Processes {
  /** Starts the session's agent where its conversation stands; answers the one that lives already. */
  startAgent(author: Author, sessionId: string, workerId?: string): Promise<WorkerRow>;
  startTerminal(author: Author, sessionId: string, size: { cols: number; rows: number }): Promise<WorkerRow>;
  /** Ends a worker's process group and resolves when its row says so. */
  end(workerId: string): Promise<void>;
  /** Takes up what the runner holds and marks what it does not hold as lost; once, before the first request. */
  recover(): Promise<void>;
  /** The runner is gone, and every process with it. */
  loseAll(): Promise<void>;
  lastOutputAt(workerId: string): number;
  /** What is typed for a task, where words that nobody typed cannot command the agent, and whether it is a bracketed paste. */
  typed(agentId: string, task: Pick<TaskRow, 'prompt' | 'sourceKind'>): Promise<{ text: string; bracketed: boolean }>;
}

export interface ProcessesDeps extends Pen {
  storage: Storage;
  runner: Runner;
  places: Places;
  secrets: Secrets;
  kinds: AgentKinds;
  catalogue: AgentCatalogue;
  maker: Pick<WorktreeMaker, 'ensurePlace'>;
  watching: Watching;
}

const AGENT_SIZE = { cols: 120, rows: 36 };

export function createProcesses(deps: ProcessesDeps): Processes {
  const { storage, runner, places } = deps;
  const ending = new Map<string, { done: Promise<void>; resolve: () => void }>();
  const launching = new Map<string, Promise<WorkerRow>>();

  async function sessionOf(sessionId: string): Promise<SessionRow> {
    const session = await storage.read.sessions.get(sessionId);
    if (session === undefined || session.removedAt !== null) throw notFound('Session', sessionId);
    return session;
  }

  function newWorker(
    session: SessionRow,
    type: 'agent' | 'terminal',
    size: { cols: number; rows: number },
    id: string,
  ): WorkerRow {
    const at = deps.now().toISOString();
    return {
      id,
      sessionId: session.id,
      type,
      agentId: type === 'agent' ? session.agentId : null,
      pid: null,
      startTime: null,
      state: 'starting',
      exitCode: null,
      signal: null,
      activityState: 'unknown',
      activitySource: 'process',
      activitySince: at,
      confidence: 'guess',
      logOffset: 0,
      scanOffset: 0,
      lastActiveOffset: -1,
      lastIdleOffset: -1,
      lastAskingOffset: -1,
      dirtySince: null,
      ...size,
      warnings: [],
      createdAt: at,
      endedAt: null,
    };
  }

  /** A new token for a worker's calls; earlier ones of the same worker stop working. */
  async function issueToken(author: Author, worker: WorkerRow): Promise<string> {
    const secret = deps.secrets.create('acw');
    const at = deps.now().toISOString();
    await storage.write(author, async (tx) => {
      await tx.tokens.remove({ workerId: worker.id });
      await tx.tokens.insert({
        id: deps.newId(),
        sha256: deps.secrets.sha256(secret),
        name: `worker ${worker.id}`,
        kind: 'worker',
        userId: null,
        workerId: worker.id,
        sessionId: worker.sessionId,
        scopes: [],
        createdAt: at,
        expiresAt: null,
        revokedAt: null,
        lastUsedAt: null,
      });
    });
    return places.writeWorkerToken(worker.id, secret);
  }

  async function agentSpec(
    author: Author,
    session: SessionRow,
    worker: WorkerRow,
  ): Promise<{ spec: SpawnSpec; nativeId: string | null }> {
    const definition = await deps.catalogue.choose(session.agentId);
    const kind = deps.kinds(definition.kind);
    const tokenFile = await issueToken(author, worker);
    const nativeId = nativeIdOf(session, kind);
    const resume = session.begun && kind.supportsResume && nativeId !== null;
    const plan = kind.start({
      definition,
      conversation: resume ? { mode: 'resume', nativeId } : { mode: 'new', nativeId },
      transcriptDir: places.transcriptsDir,
      mcp: { url: `${places.baseUrl()}/mcp`, tokenFile },
    });
    const env = workerEnvironment(places.environment, placeOf(session, worker), [
      ...kind.environment,
      ...definition.env,
    ]);
    return {
      spec: { ...specOf(session, worker), file: plan.file, args: plan.args, env: { ...env, ...plan.env } },
      nativeId,
    };
  }

  function nativeIdOf(session: SessionRow, kind: { nativeId: 'ours' | 'none' }): string | null {
    return session.nativeId ?? (kind.nativeId === 'ours' ? session.id : null);
  }

  function placeOf(session: SessionRow, worker: WorkerRow) {
    return {
      baseUrl: places.baseUrl(),
      sessionId: session.id,
      workerId: worker.id,
      repositoryId: session.repositoryId,
    };
  }

  function specOf(session: SessionRow, worker: WorkerRow) {
    return { workerId: worker.id, mode: 'pty' as const, cwd: session.cwd, cols: worker.cols, rows: worker.rows };
  }

  /** Starts the process of a stored worker; a repeat joins the first, or finds the process that is there. */
  function launch(author: Author, session: SessionRow, worker: WorkerRow): Promise<WorkerRow> {
    const joined =
      launching.get(worker.id) ?? launchOnce(author, session, worker).finally(() => launching.delete(worker.id));
    launching.set(worker.id, joined);
    return joined;
  }

  async function launchOnce(author: Author, session: SessionRow, worker: WorkerRow): Promise<WorkerRow> {
    const current = await storage.read.workers.get(worker.id);
    if (current !== undefined && current.state !== 'starting') return current;
    try {
      const { spec, nativeId } =
        worker.type === 'agent'
          ? await agentSpec(author, session, worker)
          : {
              nativeId: session.nativeId,
              spec: {
                ...specOf(session, worker),
                file: places.environment.SHELL ?? '/bin/sh',
                args: [],
                env: workerEnvironment(places.environment, placeOf(session, worker), []),
              },
            };
      const started = await storeStart(author, worker, await runner.spawn(spec), nativeId);
      watch(started);
      return started;
    } catch (error) {
      await failStart(worker, error);
      throw error;
    }
  }

  /** From here on the conversation has begun: a later start resumes it. */
  function storeStart(
    author: Author,
    worker: WorkerRow,
    process: ProcessInfo,
    nativeId: string | null,
  ): Promise<WorkerRow> {
    return storage.write(author, async (tx) => {
      const patch = { state: 'running' as const, pid: process.pid, startTime: process.startTime };
      await tx.workers.update(worker.id, patch);
      if (worker.type === 'agent') await tx.sessions.update(worker.sessionId, { begun: true, nativeId });
      await tx.record({
        type: 'worker.started',
        subject: { kind: 'worker', id: worker.id },
        sessionId: worker.sessionId,
        data: { workerType: worker.type, pid: process.pid, logOffset: process.logOffset },
      });
      return { ...worker, ...patch };
    });
  }

  /** The start of a process that a dead server did not get to write down. */
  async function storeFoundStart(worker: WorkerRow, process: ProcessInfo): Promise<WorkerRow> {
    const session = await storage.read.sessions.get(worker.sessionId);
    const definition = worker.agentId === null ? undefined : await deps.catalogue.find(worker.agentId);
    const nativeId = session && definition ? nativeIdOf(session, deps.kinds(definition.kind)) : null;
    return storeStart(SYSTEM, worker, process, nativeId);
  }

  async function failStart(worker: WorkerRow, error: unknown): Promise<void> {
    const code = error instanceof ConsoleError ? error.code : 'INTERNAL';
    const message = error instanceof ConsoleError ? error.message : 'The process could not be started.';
    const outcome: Outcome = { status: 'failed', source: 'system', certain: true, error: { code, message } };
    await storage.write(SYSTEM, (tx) =>
      endWorkerRow(
        tx,
        deps,
        worker.id,
        { state: 'exited', exitCode: null, signal: null, offset: 0, warning: message },
        outcome,
      ),
    );
    await places.clearWorker(worker.id);
  }

  function watch(worker: WorkerRow): void {
    deps.watching.watch(worker, (exit) => handleExit(worker.id, exit));
  }

  async function handleExit(workerId: string, exit: ProcessExit): Promise<void> {
    // A process whose runner died ends with neither code nor signal: nobody knows how.
    const state = exit.exitCode === null && exit.signal === null ? 'lost' : 'exited';
    await storage.write(SYSTEM, async (tx) => {
      await endWorkerRow(tx, deps, workerId, { state, ...exit });
      await tx.tokens.remove({ workerId });
    });
    await places.clearWorker(workerId);
    ending.get(workerId)?.resolve();
    ending.delete(workerId);
    await runner.forget(workerId).catch(() => {
      // A runner that is gone has forgotten everything; one that is busy is told at the next start.
    });
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
  ) {
    const session = await sessionOf(sessionId);
    await deps.maker.ensurePlace(session);
    const worker = await storage.write(author, async (tx) => {
      const live =
        type === 'agent' && (await tx.workers.first({ sessionId, type: 'agent', state: ['starting', 'running'] }));
      if (live) return live;
      if ((await tx.workers.get(workerId)) !== undefined) {
        throw new ConsoleError(
          'RUNNER_UNAVAILABLE',
          'The agent was lost with its runner before it had its prompt. Try again.',
          { workerId },
        );
      }
      const row = newWorker(session, type, size, workerId);
      await tx.workers.insert(row);
      return row;
    });
    return worker.state === 'running' ? worker : launch(author, session, worker);
  }

  async function markLost(worker: WorkerRow): Promise<void> {
    const offset = (await runner.extent(worker.id)).next;
    await storage.write(SYSTEM, async (tx) => {
      await endWorkerRow(tx, deps, worker.id, { state: 'lost', exitCode: null, signal: null, offset });
      await tx.tokens.remove({ workerId: worker.id });
    });
    await places.clearWorker(worker.id);
    ending.get(worker.id)?.resolve();
    ending.delete(worker.id);
  }

  function liveRows(): Promise<WorkerRow[]> {
    return storage.read.workers.find({ state: ['starting', 'running'], type: ['agent', 'terminal'] });
  }

  return {
    startAgent: (author, sessionId, workerId) =>
      start(author, sessionId, 'agent', AGENT_SIZE, workerId ?? deps.newId()),
    startTerminal: (author, sessionId, size) => start(author, sessionId, 'terminal', size, deps.newId()),
    async end(workerId) {
      await launching.get(workerId)?.catch(() => undefined);
      const state = async () => (await storage.read.workers.get(workerId))?.state;
      if ((await state()) === 'starting') {
        // It has no process yet, and gets none once this is stored.
        const end = { state: 'exited' as const, exitCode: null, signal: null, offset: 0 };
        await storage.write(SYSTEM, (tx) => endWorkerRow(tx, deps, workerId, end));
      }
      if ((await state()) !== 'running') return;
      const ended = whenEnded(workerId);
      await runner.end(workerId, END_GRACE_MS).catch(async (error) => {
        // It may have ended by itself meanwhile, and be forgotten already.
        if ((await state()) === 'running') throw error;
      });
      await ended;
    },
    async recover() {
      const identity = `${runner.identity.pid}:${runner.identity.startTime}`;
      const sameRunner = (await storage.read.meta.get('runner')) === identity;
      await storage.write(SYSTEM, (tx) => tx.meta.set('runner', identity));
      const held = new Map((await runner.list()).map((process) => [process.workerId, process]));
      for (const worker of await liveRows()) {
        const process = held.get(worker.id);
        held.delete(worker.id);
        if (process !== undefined) {
          const row = worker.state === 'starting' ? await storeFoundStart(worker, process) : worker;
          if (process.exit !== null && row.type === 'terminal') await handleExit(row.id, process.exit);
          else watch(row);
          continue;
        }
        const session =
          worker.state === 'starting' && sameRunner ? await storage.read.sessions.get(worker.sessionId) : undefined;
        if (session === undefined || session.removedAt !== null) await markLost(worker);
        else await launch(SYSTEM, session, worker).catch(() => undefined);
      }
      // What the runner still holds and no row speaks of was ended or undone when the server died.
      for (const process of held.values()) {
        if (process.exit === null) await runner.end(process.workerId, END_GRACE_MS);
        await runner.forget(process.workerId);
        await places.clearWorker(process.workerId);
      }
    },
    async loseAll() {
      await storage.write(SYSTEM, (tx) =>
        tx.record({ type: 'runner.lost', subject: { kind: 'runner', id: 'runner' } }),
      );
      for (const worker of await liveRows()) await markLost(worker);
    },
    lastOutputAt: (workerId) => deps.watching.lastOutputAt(workerId),
    async typed(agentId, task) {
      const { bracketedPaste, commandCharacters, safePrefix } = deps.kinds((await deps.catalogue.get(agentId)).kind);
      const commands = commandCharacters.some((character) => task.prompt.startsWith(character));
      const guarded =
        task.sourceKind !== 'person' && commands && safePrefix !== null ? `${safePrefix}\n${task.prompt}` : task.prompt;
      return { text: guarded, bracketed: bracketedPaste };
    },
  };
}

import { ConsoleError } from '@agent-console/shared/errors';
import { END_GRACE_MS } from '@agent-console/shared/limits/processes';
import type { Call } from '../../domain/call.ts';
import type { AgentKind } from '../../ports/agents.ts';
import type { OneShots } from '../../ports/one-shots.ts';
import type { SessionRow, WorkerRow } from '../../ports/rows.ts';
import type { Runner } from '../../ports/runner.ts';
import type { Screens } from '../../ports/screens.ts';
import type { Storage } from '../../ports/storage.ts';
import type { ChosenAgent } from '../agents/catalogue.ts';
import { SYSTEM } from '../author.ts';
import { type AgentWatchDeps, watchAgent } from '../processes/agent-watch.ts';
import { createLauncher, type LauncherDeps } from '../processes/launcher.ts';
import { newWorkerRow } from '../processes/new-worker.ts';
import { insertSession } from '../sessions/new-session.ts';
import { hiddenStorage } from './hidden-storage.ts';
import { removeTrial } from './remove-trial.ts';
import type { ToolReach } from './tool-reach.ts';
import { type Heard, lookAt, type Trial } from './trial-look.ts';

export interface TrialDeps extends LauncherDeps, AgentWatchDeps {
  runner: Runner;
  screens: AgentWatchDeps['screens'] & Pick<Screens, 'drop' | 'view'> & { opened(workerId: string): void };
  oneShots: Pick<OneShots, 'makeRepository' | 'removeRepository'>;
  reach: ToolReach;
  onError: (error: unknown, workerId: string) => void;
}

interface Request {
  agent: ChosenAgent;
  kind: AgentKind;
  call: Pick<Call, 'caller'>;
  /** Gives it one prompt and waits for the end of the turn. */
  deep: boolean;
  /** How long it is looked at, at most. */
  limitMs: number;
  /** Ends it before. */
  signal: AbortSignal;
  /** Is given what tells how far it has come, once it was started. */
  onStarted(seen: () => Promise<Trial>): void;
}

const SIZE = { cols: 120, rows: 36 };

/**
 * Starts an agent as sessions start theirs, in a repository with nothing in it and in a session that no list shows,
 * watches it for a while and takes everything away again. Nothing of it outlives the server by more than its next start.
 */
export async function runTestAgent(deps: TrialDeps, request: Request): Promise<Trial> {
  const cwd = await deps.oneShots.makeRepository();
  try {
    return await tryIn(deps, request, cwd);
  } finally {
    await deps.oneShots.removeRepository(cwd).catch((error) => deps.onError(error, ''));
  }
}

async function tryIn(deps: TrialDeps, request: Request, cwd: string): Promise<Trial> {
  let wake = () => {};
  const storage = hiddenStorage(deps.storage, () => wake());
  const { session, worker } = await insertRows(deps, storage, request, cwd);
  const seen: Heard = { exit: null, tools: false, lastOutputAt: 0 };
  const reaching = deps.reach.expect(worker.id, () => {
    seen.tools = true;
    wake();
  });
  try {
    const trust = request.kind.trustFolder(cwd);
    const launcher = createLauncher({
      ...deps,
      storage,
      runner: {
        spawn: (spec) =>
          deps.runner.spawn({ ...spec, args: [...spec.args, ...trust.args], env: { ...spec.env, ...trust.env } }),
      },
    });
    const started = await launcher.launch(SYSTEM, session, worker);
    const watch = watchAgent(
      { ...deps, storage },
      {
        worker: started,
        session,
        kind: request.kind.id,
        findConversation: null,
        isConversation: async () => false,
        learnsId: false,
        showsCopy: null,
        // What it says is thrown away with it.
        recordsTurnEnds: false,
        readFailure: null,
        retryUntilDone: (work) => work().catch((error) => deps.onError(error, worker.id)),
        onOutput() {
          seen.lastOutputAt = deps.now().getTime();
        },
        async onExit(exit) {
          seen.exit = exit;
          wake();
        },
        onFailed: (error) => deps.onError(error, worker.id),
      },
    );
    deps.screens.opened(worker.id);
    try {
      const sleep = (ms: number) =>
        new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      request.signal.addEventListener('abort', () => wake(), { once: true });
      return await lookAt({ ...deps, watch }, request, worker, seen, sleep);
    } finally {
      await deps.runner.end(worker.id, END_GRACE_MS).catch(() => undefined);
      watch.close();
      await watch.settled();
    }
  } catch (error) {
    if (!(error instanceof ConsoleError)) throw error;
    return { ...NOTHING, refused: error.message };
  } finally {
    reaching.release();
    await removeAll(deps, storage, session, worker);
  }
}

const NOTHING: Omit<Trial, 'refused'> = {
  exit: null,
  activity: { activityState: 'unknown', activitySource: 'process', confidence: 'guess' },
  hooksReported: false,
  toolsReached: false,
  turn: 'not given',
  question: null,
  screen: '',
};

function insertRows(
  deps: TrialDeps,
  storage: Storage,
  { agent, call }: Request,
  cwd: string,
): Promise<{ session: SessionRow; worker: WorkerRow }> {
  return storage.write(SYSTEM, async (tx) => {
    const row = await insertSession(tx, deps, call, {
      worktree: null,
      cwd,
      agent,
      title: 'Trying the agent',
      description: '',
      parent: null,
      depth: 0,
      mode: undefined,
      ceiling: undefined,
      queueHeld: true,
    });
    // Removed from the start: no list shows it, and a server that starts again ends what it still finds of it.
    const removedAt = deps.now().toISOString();
    await tx.sessions.update(row.id, { removedAt });
    const session = { ...row, removedAt };
    const worker = newWorkerRow(deps, session, { id: deps.newId(), type: 'agent', ...SIZE });
    await tx.workers.insert(worker);
    return { session, worker };
  });
}

async function removeAll(deps: TrialDeps, storage: Storage, session: SessionRow, worker: WorkerRow): Promise<void> {
  // Where the start failed half-way, there may still be a process.
  await deps.runner.end(worker.id, END_GRACE_MS).catch(() => undefined);
  await deps.host.clearWorker(worker.id);
  await storage.write(SYSTEM, (tx) => removeTrial(tx, session.id, worker.id));
  await deps.screens.drop(worker.id);
  await deps.runner.forget(worker.id).catch(() => undefined);
  await deps.runner.dropLog(worker.id);
  await deps.host.removeWorker(worker.id);
}

import { ConsoleError } from '@agent-console/shared/errors';
import {
  AGENT_CHECK_MS,
  AGENT_CHECK_QUIET_MS,
  AGENT_CHECK_TEXT_CHARS,
  END_GRACE_MS,
  PASTE_SETTLE_MS,
} from '@agent-console/shared/limits';
import { isAccepted, isTurnOver } from '../../domain/turns.ts';
import { SYSTEM } from '../author.ts';
import type { Call } from '../call.ts';
import type { AgentKind } from '../ports/agents.ts';
import type { OneShots } from '../ports/one-shots.ts';
import type { SessionRow, WorkerRow } from '../ports/rows.ts';
import type { ProcessExit, Runner } from '../ports/runner.ts';
import type { Screens } from '../ports/screens.ts';
import type { Storage } from '../ports/storage.ts';
import { type AgentWatch, type AgentWatchDeps, watchAgent } from '../processes/agent-watch.ts';
import { createLauncher, type LauncherDeps } from '../processes/launcher.ts';
import { newWorkerRow } from '../processes/new-worker.ts';
import { insertSession } from '../sessions/new-session.ts';
import type { ChosenAgent } from './catalogue.ts';
import { hiddenStorage } from './hidden-storage.ts';
import { removeTrial } from './remove-trial.ts';
import type { ToolReach } from './tool-reach.ts';

export interface TrialDeps extends LauncherDeps, AgentWatchDeps {
  runner: Runner;
  screens: AgentWatchDeps['screens'] & Pick<Screens, 'drop' | 'view'> & { opened(workerId: string): void };
  oneShots: Pick<OneShots, 'makeRepository' | 'removeRepository'>;
  reach: ToolReach;
  onError: (error: unknown, workerId: string) => void;
}

/** What was seen of an agent that was started for a moment. */
export interface Trial {
  /** Why it could not be started, or null. */
  refused: string | null;
  exit: ProcessExit | null;
  activity: Pick<WorkerRow, 'activityState' | 'activitySource' | 'confidence'>;
  hooksReported: boolean;
  toolsReached: boolean;
  /** How far the one prompt came, where it was given one. */
  turn: 'not given' | 'given' | 'taken' | 'over';
  /** What it asks, where it asks something and its words are known. */
  question: string | null;
  /** The end of what stands on its screen. */
  screen: string;
}

interface Request {
  agent: ChosenAgent;
  kind: AgentKind;
  call: Pick<Call, 'caller'>;
  /** Gives it one prompt and waits for the end of the turn. */
  deep: boolean;
  /** When it is over at the latest, in milliseconds since the epoch. */
  endsAt: number;
}

/** A state that lasted this long is no half-painted screen. */
const SETTLED_MS = 1_500;
const LOOK_MS = 250;
const SIZE = { cols: 120, rows: 36 };
const ENTERS_MAX = 3;
const ENTER_AGAIN_MS = 2_000;
const PROMPT = 'Answer with the one word OK. Use no tools.';

/**
 * Starts an agent as sessions start theirs, in a repository with nothing in it and in a session that no list shows,
 * watches it for a while and takes everything away again. Nothing of it outlives the server by more than its next start.
 */
export async function tryAgent(deps: TrialDeps, request: Request): Promise<Trial> {
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
  const seen = { exit: null as ProcessExit | null, tools: false, lastOutputAt: 0 };
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
        untilDone: (work) => work().catch((error) => deps.onError(error, worker.id)),
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
      return await look({ ...deps, watch }, request, worker, seen, sleep);
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

/** Looks until all is known that can be, nothing new comes, or the time is over. */
async function look(
  deps: TrialDeps & { watch: Pick<AgentWatch, 'question'> },
  { kind, deep, endsAt }: Request,
  worker: WorkerRow,
  seen: { exit: ProcessExit | null; tools: boolean; lastOutputAt: number },
  sleep: (ms: number) => Promise<void>,
): Promise<Trial> {
  let turn: Trial['turn'] = 'not given';
  let submittedOffset = 0;
  let before = '';
  let enteredAt = 0;
  let enters = 1;
  let newsAt = deps.now().getTime();
  for (;;) {
    const now = deps.now().getTime();
    const row = (await deps.storage.read.workers.get(worker.id)) ?? worker;
    if (turn === 'given' && isAccepted(submittedOffset, row)) turn = 'taken';
    if (turn !== 'not given' && isTurnOver(submittedOffset, row)) turn = 'over';
    const hooksReported = row.signalsOffset > 0;
    const news = JSON.stringify([row.activityState, hooksReported, seen.tools, turn]);
    if (news !== before) newsAt = now;
    before = news;
    const settled = row.activityState !== 'unknown' && now - newsAt >= SETTLED_MS;
    const complete =
      (kind.reports !== 'start' || hooksReported) && (kind.connects !== 'start' || seen.tools) && settled;
    const lastAt = row.activityState === 'unknown' ? Math.max(newsAt, seen.lastOutputAt) : newsAt;
    const idleFor = now - lastAt >= AGENT_CHECK_QUIET_MS && seen.lastOutputAt > 0 && turn !== 'taken';
    // Some ask their terminal something, and draw the first line long after.
    const quiet = idleFor && (await screenOf(deps, worker.id)) !== '';
    if (deep && turn === 'not given' && row.activityState === 'idle' && (complete || quiet)) {
      submittedOffset = await typePrompt(deps, worker.id, kind);
      turn = 'given';
      enteredAt = deps.now().getTime();
      continue;
    }
    // An Enter that came while it was still drawing the paste is taken for a part of it.
    if (turn === 'given' && enters < ENTERS_MAX && now - enteredAt >= ENTER_AGAIN_MS) {
      enters += 1;
      enteredAt = now;
      await deps.runner.input(worker.id, `check-enter-${enters}`, Buffer.from('\r'));
    }
    const answered = !deep || turn === 'over' || row.activityState === 'asking';
    if (seen.exit !== null || now >= endsAt || (answered && complete) || quiet) {
      const { activityState, activitySource, confidence } = row;
      return {
        refused: null,
        exit: seen.exit,
        activity: { activityState, activitySource, confidence },
        hooksReported,
        toolsReached: seen.tools,
        turn,
        question: activityState === 'asking' ? await questionOf(deps.watch) : null,
        screen: await screenOf(deps, worker.id),
      };
    }
    await sleep(Math.min(LOOK_MS, Math.max(endsAt - now, 1)));
  }
}

/** Types the prompt and answers the offset at which it was submitted; its row has the agent's own word for it recognised. */
async function typePrompt(deps: TrialDeps, workerId: string, { bracketedPaste }: AgentKind): Promise<number> {
  const { runner, storage } = deps;
  const text = bracketedPaste ? `\x1b[200~${PROMPT}\x1b[201~` : PROMPT;
  await runner.input(workerId, 'check-prompt', Buffer.from(text));
  await new Promise((resolve) => setTimeout(resolve, PASTE_SETTLE_MS));
  const { offset } = await runner.input(workerId, 'check-enter-1', Buffer.from('\r'));
  const at = deps.now().toISOString();
  await storage.write(SYSTEM, (tx) =>
    tx.inputs.insert({
      id: deps.newId(),
      workerId,
      taskId: null,
      kind: 'prompt',
      text: PROMPT,
      state: 'submitted',
      pastedOffset: offset,
      submittedOffset: offset,
      acceptedBy: null,
      createdAt: at,
      submittedAt: at,
    }),
  );
  return offset;
}

async function questionOf(watch: Pick<AgentWatch, 'question'>): Promise<string | null> {
  const question = await watch.question().catch(() => null);
  return question === null ? null : question.text.slice(0, AGENT_CHECK_TEXT_CHARS);
}

async function screenOf({ screens }: TrialDeps, workerId: string): Promise<string> {
  const view = await screens.view(workerId, { scrollback: 0, format: 'text' }).catch(() => undefined);
  const lines = view?.text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim()) ?? [];
  return lines
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
    .join('\n')
    .slice(-AGENT_CHECK_TEXT_CHARS);
}

async function removeAll(deps: TrialDeps, storage: Storage, session: SessionRow, worker: WorkerRow): Promise<void> {
  // Where the start failed half-way, there may still be a process.
  await deps.runner.end(worker.id, END_GRACE_MS).catch(() => undefined);
  await deps.places.clearWorker(worker.id);
  await storage.write(SYSTEM, (tx) => removeTrial(tx, session.id, worker.id));
  await deps.screens.drop(worker.id);
  await deps.runner.forget(worker.id).catch(() => undefined);
  await deps.runner.dropLog(worker.id);
  await deps.places.removeWorker(worker.id);
}

/** The latest end of a trial that begins at this moment, in milliseconds since the epoch. */
export const trialEnd = (from: number): number => from + AGENT_CHECK_MS;

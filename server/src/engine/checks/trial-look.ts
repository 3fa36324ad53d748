import { AGENT_CHECK_QUIET_MS, AGENT_CHECK_TEXT_CHARS } from '@agent-console/shared/limits/agents';
import {
  ACCEPT_WITHIN_MS,
  ENTER_AGAIN_AFTER_MS,
  ENTERS_MAX,
  PASTE_SETTLE_MS,
} from '@agent-console/shared/limits/typing';
import { isAccepted, isTurnOver } from '../../domain/turns.ts';
import type { AgentKind } from '../../ports/agents.ts';
import type { WorkerRow } from '../../ports/rows.ts';
import type { ProcessExit, Runner } from '../../ports/runner.ts';
import type { Screens } from '../../ports/screens.ts';
import type { Storage } from '../../ports/storage.ts';
import { SYSTEM } from '../author.ts';
import type { AgentWatch } from '../processes/agent-watch.ts';
import { screenTail } from '../screen-tail.ts';
import type { ChangeDeps } from '../task-changes.ts';

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

/** What is told of the process while it is looked at; written to from outside. */
export interface Heard {
  exit: ProcessExit | null;
  tools: boolean;
  lastOutputAt: number;
}

interface Looked {
  kind: AgentKind;
  /** Gives it one prompt and waits for the end of the turn. */
  deep: boolean;
  /** How long it is looked at, at most. */
  limitMs: number;
  signal: AbortSignal;
  onStarted(seen: () => Promise<Trial>): void;
}

export interface LookDeps extends ChangeDeps {
  storage: Storage;
  runner: Pick<Runner, 'input'>;
  screens: Pick<Screens, 'view'>;
  watch: Pick<AgentWatch, 'question'>;
}

/** A state that lasted this long is no half-painted screen. */
const SETTLED_MS = 1_500;
const LOOK_MS = 250;
const PROMPT = 'Answer with the one word OK. Use no tools.';

/** Looks until all is known that can be, nothing new comes, or the time is over. */
export async function lookAt(
  deps: LookDeps,
  { kind, deep, limitMs, signal, onStarted }: Looked,
  worker: WorkerRow,
  seen: Heard,
  sleep: (ms: number) => Promise<void>,
): Promise<Trial> {
  let turn: Trial['turn'] = 'not given';
  let submittedOffset = 0;
  let before = '';
  let enteredAt = 0;
  let enters = 1;
  let newsAt = deps.now().getTime();
  const endsAt = newsAt + limitMs;
  const rowNow = async () => (await deps.storage.read.workers.get(worker.id)) ?? worker;
  async function seenNow(): Promise<Trial> {
    const { activityState, activitySource, confidence, signalsOffset } = await rowNow();
    return {
      refused: null,
      exit: seen.exit,
      activity: { activityState, activitySource, confidence },
      hooksReported: signalsOffset > 0,
      toolsReached: seen.tools,
      turn,
      question: activityState === 'asking' ? await questionOf(deps.watch) : null,
      screen: await screenOf(deps, worker.id),
    };
  }
  onStarted(seenNow);
  for (;;) {
    const now = deps.now().getTime();
    const row = await rowNow();
    if (turn === 'given' && isAccepted(submittedOffset, row)) turn = 'taken';
    if (turn !== 'not given' && isTurnOver(submittedOffset, row)) turn = 'over';
    const hooksReported = row.signalsOffset > 0;
    const news = JSON.stringify([row.activityState, hooksReported, seen.tools, turn]);
    if (news !== before) newsAt = now;
    before = news;
    // A title may say that it rests while its screen asks.
    const settled = row.activityState !== 'unknown' && row.disputed.length === 0 && now - newsAt >= SETTLED_MS;
    const complete =
      (kind.reports !== 'start' || hooksReported) && (kind.connects !== 'start' || seen.tools) && settled;
    const rests = row.activityState === 'idle' || row.activityState === 'asking';
    const lastAt = rests ? newsAt : Math.max(newsAt, seen.lastOutputAt);
    // A prompt is acknowledged in the time that every prompt has.
    const patience = turn === 'given' ? ACCEPT_WITHIN_MS : AGENT_CHECK_QUIET_MS;
    const idleFor = now - lastAt >= patience && seen.lastOutputAt > 0 && turn !== 'taken';
    // Some ask their terminal something, and draw the first line long after.
    const quiet = idleFor && (await screenOf(deps, worker.id)) !== '';
    if (deep && turn === 'not given' && row.activityState === 'idle' && (complete || quiet)) {
      submittedOffset = await typePrompt(deps, worker.id, kind);
      turn = 'given';
      enteredAt = deps.now().getTime();
      continue;
    }
    // An Enter that came while it was still drawing the paste is taken for a part of it; one would approve what it asks.
    const unheard = turn === 'given' && row.activityState !== 'asking';
    if (unheard && enters < ENTERS_MAX && now - enteredAt >= ENTER_AGAIN_AFTER_MS * 2 ** (enters - 1)) {
      enters += 1;
      enteredAt = now;
      await deps.runner.input(worker.id, `check-enter-${enters}`, Buffer.from('\r'));
    }
    const answered = !deep || turn === 'over' || row.activityState === 'asking';
    const over = signal.aborted || now >= endsAt || seen.exit !== null;
    if (over || (answered && complete) || quiet) return seenNow();
    await sleep(Math.min(LOOK_MS, Math.max(endsAt - now, 1)));
  }
}

/** Types the prompt and answers the offset at which it was submitted; its row has the agent's own word for it recognised. */
async function typePrompt(deps: LookDeps, workerId: string, { bracketedPaste }: AgentKind): Promise<number> {
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

const screenOf = ({ screens }: LookDeps, workerId: string) => screenTail(screens, workerId, AGENT_CHECK_TEXT_CHARS);

import type { Agent } from '@agent-console/shared/models/agent';
import type { ActivitySource, ActivityState, Confidence } from '@agent-console/shared/models/worker';
import { isSameQuestion } from '../domain/questions.ts';
import type {
  AgentSignal,
  AgentWatcher,
  ScreenQuestion,
  ScreenReading,
  ScreenSnapshot,
  Transition,
  WatchedKind,
} from '../ports/agents.ts';
import { type Activity, createActivityMerger } from './merge.ts';
import { createOscScanner } from './osc-scanner.ts';
import { createActivityReader } from './reader.ts';

export interface ActivityWatcher extends AgentWatcher {
  /** Returns the question read from the screen while the agent asks, or null if none could be read. */
  screenQuestion(): ScreenQuestion | null;
}

export interface WatchedFrom {
  /** Stored offset at which scanning of the output continues. */
  offset: number;
  state: ActivityState;
  confidence: Confidence;
  /** The source of the stored state; defaults to the title. */
  source?: ActivitySource;
  /** The id that the agent itself gave to its conversation, if known. */
  nativeId?: string | null;
}

/**
 * Returns a function that creates a watcher for an agent of a given kind. If output before a chunk is missing, the
 * watcher drops the escape sequence that was incomplete before the gap.
 */
export function createActivityWatchers(
  kinds: (name: Agent['kind']) => WatchedKind,
  now: () => number = Date.now,
): (name: Agent['kind'], from: WatchedFrom) => ActivityWatcher {
  return (name, from) => watch(kinds(name), from, now);
}

function watch(kind: WatchedKind, from: WatchedFrom, now: () => number): ActivityWatcher {
  const { state, confidence, source = 'title' } = from;
  const merger = createActivityMerger({ state, confidence, source, offset: from.offset, at: now() });
  const reader = createActivityReader({
    readTitle: (title) => kind.readTitle(title),
    readProgress: kind.readProgress ?? {},
    initial: { state, confidence },
  });
  const screens = createSnapshotReader((snapshot) => kind.readScreen?.(snapshot) ?? null);
  let scanner = createOscScanner({ offset: from.offset });
  let hasTitleClaim = source === 'title';
  let nativeId = from.nativeId ?? null;
  let shown: ScreenQuestion | null = null;
  /**
   * Whether `shown`, the question read from the screen, is certainly the current question. Otherwise, it may be
   * half-painted or the previous question.
   */
  let isConfirmed = false;
  let reported: { text: string; tool: string | null } | null = null;
  let published: Activity = merger.current;

  /**
   * Publishes the activity. Returns the change since the last published activity, or an empty array if nothing changed.
   */
  function publish(next: Activity): Transition[] {
    const { state, confidence } = published;
    if (next.state === state && next.confidence === confidence && hasSameDisputes(next, published)) return [];
    if (state === 'asking' && next.state !== 'asking') {
      show(null, false);
      reported = null;
    }
    published = next;
    const { disputed, ...change } = next;
    return [disputed.length === 0 ? change : { ...change, disputed }];
  }

  function show(question: ScreenQuestion | null, settled: boolean): void {
    const isSame = question !== null && shown !== null && isSameQuestion(shown, question);
    // If the reported question was on the screen and is not any more, the agent asks it no longer.
    if (isConfirmed && !isSame) reported = null;
    isConfirmed = question !== null && (settled || isSame);
    shown = question;
  }

  /**
   * Applies a hook's report of a question. The agent draws the question later. Until then `shown` could be the previous
   * question, so it is cleared.
   */
  function report({ text, tool }: { text: string; tool: string | null }): void {
    if (tool === null && (isConfirmed || reported !== null || text === '')) return;
    reported = { text, tool };
    isConfirmed = false;
    shown = null;
  }

  /**
   * Reports to the merger which state the newest title or progress sequence indicates. If neither indicates a state,
   * withdraws the last report. A repeated title confirms its state.
   */
  function followTitle(): Transition[] {
    const { newest } = reader;
    if (newest !== null) {
      hasTitleClaim = true;
      return publish(merger.observe({ ...newest, source: 'title', at: now() }));
    }
    if (!hasTitleClaim) return [];
    hasTitleClaim = false;
    return publish(
      merger.observe({ source: 'title', state: null, confidence: 'guess', offset: scanner.offset, at: now() }),
    );
  }

  return {
    push(offset, data) {
      if (offset !== scanner.offset) scanner = createOscScanner({ offset });
      const events = scanner.push(data).filter((event) => event.type === 'title' || event.type === 'progress');
      if (events.length === 0) return [];
      const at = now();
      const changes = reader.read(events).flatMap((change) => {
        hasTitleClaim = true;
        return publish(merger.observe({ ...change, source: 'title', at }));
      });
      // If the signals of a chunk contradict each other, the state is unknown, so not even the last title is used.
      return reader.current.state === 'unknown' ? changes : [...changes, ...followTitle()];
    },
    safeOffset: () => scanner.safeOffset,
    screen(snapshot) {
      const at = now();
      const reading = screens.read(snapshot, at);
      if (reading === undefined) return publish(merger.evaluate(at));
      show(reading?.question ?? null, snapshot.settled);
      const { offset } = snapshot;
      const { state, confidence } = reading ?? { state: null, confidence: 'guess' };
      return publish(merger.observe({ source: 'screen', state, confidence, offset, at }));
    },
    signal(line) {
      let other: string | null = null;
      const signals = (kind.readSignal?.(line) ?? []).filter((signal) => {
        if (signal.nativeId !== null && (signal.type === 'conversationStarted' || signal.type === 'turnStarted')) {
          nativeId = signal.nativeId;
        }
        if (signal.nativeId === null || signal.nativeId === nativeId) return true;
        other = signal.nativeId;
        // Subagents report through the same hooks. Until the agent's own conversation id is known, the end of a turn
        // may belong to a subagent, so it is ignored.
        return nativeId === null && signal.type !== 'turnEnded';
      });
      const changes = signals.flatMap((signal) => {
        if (signal.type === 'asking') report(signal);
        const claimed = STATE_OF_SIGNAL[signal.type];
        if (claimed === null) return [];
        const startsTurn = signal.type === 'turnStarted';
        const { offset } = scanner;
        return publish(
          merger.observe({ source: 'hook', state: claimed, confidence: 'certain', offset, at: now(), startsTurn }),
        );
      });
      return { changes, signals, other };
    },
    nativeId: () => nativeId,
    setNativeId(id) {
      nativeId = id;
    },
    correct: (corrected) => publish(merger.correct(corrected, { offset: scanner.offset, at: now() })),
    end: () => publish(merger.end({ offset: scanner.offset, at: now() })),
    tick: () => publish(merger.evaluate(now())),
    dueAt: () => merger.dueAt(),
    screenQuestion: () => (merger.current.state === 'asking' ? shown : null),
    isAsking: () => merger.current.state === 'asking',
    asked() {
      if (merger.current.state !== 'asking') return null;
      if (isConfirmed && shown !== null) {
        const options = shown.options.map(({ id, label, kind: effect }) => ({ id, label, kind: effect }));
        return { text: shown.text, tool: reported?.tool ?? shown.tool ?? null, options, source: 'screen' };
      }
      return reported === null ? null : { ...reported, options: [], source: 'hook' };
    },
    questionOn: (snapshot) => kind.readScreen?.(snapshot)?.question ?? null,
  };
}

/** The agent's state after a signal of each type; null if the signal says nothing about a turn. */
const STATE_OF_SIGNAL: Readonly<Record<AgentSignal['type'], ActivityState | null>> = {
  conversationStarted: null,
  turnStarted: 'active',
  turnEnded: 'idle',
  asking: 'asking',
  answered: 'active',
  ended: null,
};

function hasSameDisputes(one: Activity, other: Activity): boolean {
  const keyOf = ({ disputed }: Activity) => disputed.map(({ source, state }) => `${source} ${state}`).join();
  return keyOf(one) === keyOf(other);
}

/**
 * While a screen is repainted without pause, a state counts after REPEATED equal readings over at least REPEATED_MS
 * milliseconds. `active` needs less time, because a half-painted screen may hide signs of work but never shows false
 * ones.
 */
const REPEATED = 3;
const REPEATED_MS = { active: 300, other: 750 };

/**
 * Creates a reader that ignores half-painted screens. A reading counts when the screen has stopped changing
 * (`settled`), or when it was repeated, because a working agent never stops repainting. `read` returns undefined while
 * it is too early to decide.
 */
function createSnapshotReader(readScreen: (snapshot: ScreenSnapshot) => ScreenReading | null) {
  let row: { state: ActivityState | null; since: number; times: number } | null = null;
  return {
    read(snapshot: ScreenSnapshot, at: number): ScreenReading | null | undefined {
      const reading = readScreen(snapshot);
      const state = reading?.state ?? null;
      row = row?.state === state ? { ...row, times: row.times + 1 } : { state, since: at, times: 1 };
      const minimum = state === 'active' ? REPEATED_MS.active : REPEATED_MS.other;
      const isRepeated = row.times >= REPEATED && at - row.since >= minimum;
      return snapshot.settled || isRepeated ? reading : undefined;
    },
  };
}

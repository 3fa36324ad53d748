import type { Agent } from '@agent-console/shared/models/agent';
import type { ActivitySource, ActivityState, Confidence } from '@agent-console/shared/models/worker';
import { isSameQuestion } from '../domain/questions.ts';
import type { AgentSignal, AgentWatcher, ScreenSnapshot, ShownQuestion, Transition } from '../ports/agents.ts';
import { type Activity, createActivityMerger } from './merge.ts';
import { createOscScanner } from './osc-scanner.ts';
import { createActivityReader, type Reading, type SignalReading } from './reader.ts';
import { createSnapshotReader } from './snapshots.ts';

/** How a kind of agent is watched; a kind without screens and reports is watched by its signs alone. */
export interface WatchedKind extends SignalReading {
  readScreen?(picture: ScreenSnapshot): (Reading & { question: ShownQuestion | null }) | null;
  readSignal?(line: unknown): AgentSignal[];
}

/** Also knows what is asked. */
export interface ActivityWatcher extends AgentWatcher {
  /** What it asks, while it asks; null also where only its text is unknown. */
  question(): ShownQuestion | null;
}

export interface WatchedFrom {
  /** Where reading goes on: the safe offset that was stored. */
  offset: number;
  state: ActivityState;
  confidence: Confidence;
  /** Who said so; the title where it was not stored. */
  source?: ActivitySource;
  /** The id of the conversation, where it is known already. */
  nativeId?: string | null;
}

/**
 * Watches agents: `kinds` says how each kind is read, `now` is the clock. `from` is what was stored. Output that begins
 * elsewhere than the last one ended (its middle is no longer stored) is read afresh, since what came before is no part
 * of it.
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
  const pictures = createSnapshotReader<ShownQuestion>((picture) => kind.readScreen?.(picture) ?? null);
  let scanner = createOscScanner({ offset: from.offset });
  let titleStands = source === 'title';
  let nativeId = from.nativeId ?? null;
  let asked: ShownQuestion | null = null;
  /** Whether `asked` is no half-painted or former question. */
  let stands = false;
  let reported: { text: string; tool: string | null } | null = null;
  let told: Activity = merger.current;

  /** What is new since it was last told. */
  function tell(next: Activity): Transition[] {
    const same = next.state === told.state && next.confidence === told.confidence && sameDisputes(next, told);
    if (same) return [];
    if (told.state === 'asking' && next.state !== 'asking') {
      show(null, false);
      reported = null;
    }
    told = next;
    const { disputed, ...change } = next;
    return [disputed.length === 0 ? change : { ...change, disputed }];
  }

  function show(question: ShownQuestion | null, settled: boolean): void {
    const same = question !== null && asked !== null && isSameQuestion(asked, question);
    // What was reported is what stood there, and goes with it.
    if (stands && !same) reported = null;
    stands = question !== null && (settled || same);
    asked = question;
  }

  /** What it says itself comes before its screen, on which the question before may still stand. */
  function report({ text, tool }: { text: string; tool: string | null }): void {
    if (tool === null && (stands || reported !== null || text === '')) return;
    reported = { text, tool };
    stands = false;
    asked = null;
  }

  /** A title that says nothing any more takes back what it said before; one that repeats itself confirms it. */
  function followTitle(): Transition[] {
    const { standing } = reader;
    if (standing !== null) {
      titleStands = true;
      return tell(merger.observe({ ...standing, source: 'title', at: now() }));
    }
    if (!titleStands) return [];
    titleStands = false;
    return tell(
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
        titleStands = true;
        return tell(merger.observe({ ...change, source: 'title', at }));
      });
      // ActivityOffsets that contradict each other stand for nothing.
      return reader.current.state === 'unknown' ? changes : [...changes, ...followTitle()];
    },
    safeOffset: () => scanner.safeOffset,
    screen(picture) {
      const at = now();
      const seen = pictures.read(picture, at);
      if (seen === undefined) return tell(merger.look(at));
      show(seen?.question ?? null, picture.settled);
      const { offset } = picture;
      const said = seen ?? { state: null, confidence: 'guess' };
      return tell(merger.observe({ source: 'screen', state: said.state, confidence: said.confidence, offset, at }));
    },
    signal(line) {
      let other: string | null = null;
      const signals = (kind.readSignal?.(line) ?? []).filter((signal) => {
        if (signal.nativeId !== null && (signal.type === 'conversationStarted' || signal.type === 'turnStarted')) {
          nativeId = signal.nativeId;
        }
        if (signal.nativeId === null || signal.nativeId === nativeId) return true;
        other = signal.nativeId;
        // Side conversations of the agent report too: as long as it is not known which is its own, none of them ends a turn.
        return nativeId === null && signal.type !== 'turnEnded';
      });
      const changes = signals.flatMap((signal) => {
        if (signal.type === 'asking') report(signal);
        const said = STATE_OF_SIGNAL[signal.type];
        if (said === null) return [];
        const startsTurn = signal.type === 'turnStarted';
        const { offset } = scanner;
        return tell(
          merger.observe({ source: 'hook', state: said, confidence: 'certain', offset, at: now(), startsTurn }),
        );
      });
      return { changes, signals, other };
    },
    nativeId: () => nativeId,
    converses(id) {
      nativeId = id;
    },
    correct: (said) => tell(merger.correct(said, { offset: scanner.offset, at: now() })),
    end: () => tell(merger.end({ offset: scanner.offset, at: now() })),
    look: () => tell(merger.look(now())),
    dueAt: () => merger.dueAt(),
    question: () => (merger.current.state === 'asking' ? asked : null),
    isAsking: () => merger.current.state === 'asking',
    asked() {
      if (merger.current.state !== 'asking') return null;
      if (stands && asked !== null) {
        const options = asked.options.map(({ id, label, kind: what }) => ({ id, label, kind: what }));
        return { text: asked.text, tool: reported?.tool ?? asked.tool ?? null, options, source: 'screen' };
      }
      return reported === null ? null : { ...reported, options: [], source: 'hook' };
    },
    questionIn: (picture) => kind.readScreen?.(picture)?.question ?? null,
  };
}

/** A conversation's start and end say nothing of a turn; the process's own end is told by the runner. */
const STATE_OF_SIGNAL: Readonly<Record<AgentSignal['type'], ActivityState | null>> = {
  conversationStarted: null,
  turnStarted: 'active',
  turnEnded: 'idle',
  asking: 'asking',
  answered: 'active',
  ended: null,
};

function sameDisputes(one: Activity, other: Activity): boolean {
  const words = ({ disputed }: Activity) => disputed.map((each) => `${each.source} ${each.state}`).join();
  return words(one) === words(other);
}

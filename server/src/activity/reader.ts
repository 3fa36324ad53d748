import type { ActivityState } from '@agent-console/shared/models/worker';
import type { ProgressState, Reading, Transition, WatchedKind } from '../ports/agents.ts';
import type { StatusEvent } from './osc-scanner.ts';

type SignalReading = Pick<WatchedKind, 'readTitle' | 'readProgress'>;

export interface ActivityReader {
  /** Reads the signals of one chunk of output and returns the changes of activity, in order. */
  read(events: readonly StatusEvent[]): Transition[];
  /** The activity state after all signals read so far. */
  readonly current: Reading;
  /**
   * The last title or the last progress sequence, whichever is newer. A title or progress sequence that indicates no
   * state is ignored; null if neither indicates a state.
   */
  readonly newest: (Reading & { offset: number }) | null;
}

/**
 * Meaning of progress sequences for kinds of agents that define no other meaning. State 4 (paused) is only a guess for
 * `asking`, because a download may also be paused. State 2 (error) proves nothing, because it occurs both during and
 * after work.
 */
const GENERAL_PROGRESS: Record<ProgressState, Reading> = {
  0: { state: 'idle', confidence: 'likely' },
  1: { state: 'active', confidence: 'likely' },
  2: { state: 'unknown', confidence: 'guess' },
  3: { state: 'active', confidence: 'likely' },
  4: { state: 'asking', confidence: 'guess' },
};

/**
 * Creates a reader that turns titles and progress sequences into changes of activity. The newest signal wins. But if
 * the last title and the last progress sequence of a chunk contradict each other, the state becomes `unknown`. The
 * newer of the two still wins if title and progress indicated the same state when the older one arrived.
 * @param kind.initial last known state before a restart
 */
export function createActivityReader(kind: SignalReading & { initial?: Reading }): ActivityReader {
  let current: Reading = kind.initial ?? { state: 'unknown', confidence: 'guess' };
  const valid: Record<'title' | 'progress', ActivityReader['newest']> = { title: null, progress: null };
  const latest: { title: ActivityState | null; progress: ActivityState | null } = { title: null, progress: null };

  /**
   * Returns an array with the state that a signal indicates, or an empty array if it indicates none. `agreed`: whether
   * the last title and the last progress sequence, including this signal, indicate the same state.
   */
  const readEvent = (event: StatusEvent): SignalRead[] => {
    if (event.type !== 'title' && event.type !== 'progress') return [];
    const reading = event.type === 'title' ? kind.readTitle(event.title) : readProgress(kind, event.state);
    latest[event.type] = reading?.state ?? null;
    valid[event.type] = reading && { ...reading, offset: event.offset };
    const agreed = latest.title === latest.progress;
    return reading ? [{ ...reading, type: event.type, offset: event.offset, agreed }] : [];
  };

  return {
    get current() {
      return current;
    },
    get newest() {
      const { title, progress } = valid;
      return (title?.offset ?? -1) > (progress?.offset ?? -1) ? title : progress;
    },
    read(events) {
      const transitions: Transition[] = [];
      for (const { state, confidence, offset } of withoutContradiction(events.flatMap(readEvent))) {
        if (state === current.state && confidence === current.confidence) continue;
        current = { state, confidence };
        transitions.push({ ...current, source: 'title', offset });
      }
      return transitions;
    },
  };
}

function readProgress(kind: SignalReading, state: ProgressState): Reading | null {
  const own = kind.readProgress?.[state];
  if (own === undefined) return GENERAL_PROGRESS[state];
  return own.state === 'unknown' ? null : own;
}

interface SignalRead extends Reading {
  type: 'title' | 'progress';
  offset: number;
  agreed: boolean;
}

/**
 * Returns the signals of a chunk. If its last title and its last progress sequence contradict each other, the older of
 * the two and all later signals are replaced with one signal of state `unknown`. Nothing is replaced if title and
 * progress agreed when the older one arrived.
 */
function withoutContradiction(signals: SignalRead[]): SignalRead[] {
  const last = signals.at(-1);
  const older = signals.findLast((signal) => signal.type !== last?.type);
  if (!last || !older || older.state === last.state || older.agreed) return signals;
  return [...signals.slice(0, signals.indexOf(older)), { ...last, state: 'unknown', confidence: 'guess' }];
}

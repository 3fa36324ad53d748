import type { ActivityState, Confidence } from '@agent-console/shared/models/worker';
import type { Transition } from '../ports/agents.ts';
import type { ProgressState } from './osc-payload.ts';
import type { StatusEvent } from './osc-scanner.ts';

/** What a sign says about the agent. */
export interface Reading {
  state: ActivityState;
  confidence: Confidence;
}

/** How a kind of agent is read. */
export interface SignalReading {
  readTitle(title: string): Reading | null;
  /** `unknown` for a sequence that says nothing in this kind. */
  readProgress?: Readonly<Partial<Record<ProgressState, Reading>>>;
}

export interface ActivityReader {
  /** Takes the signs of one chunk and answers what changed, in order. */
  read(events: readonly StatusEvent[]): Transition[];
  /** The state after what was read. */
  readonly current: Reading;
  /** The newest sign that still stands; a title that says nothing takes back what a title said. Null without any. */
  readonly standing: (Reading & { offset: number }) | null;
}

/**
 * What progress sequences mean where an agent's kind says nothing else. A pause is only taken for a question by guess:
 * it may as well be a download that waits. An error state is seen both during and after work.
 */
const GENERAL_PROGRESS: Record<ProgressState, Reading> = {
  0: { state: 'idle', confidence: 'likely' },
  1: { state: 'active', confidence: 'likely' },
  2: { state: 'unknown', confidence: 'guess' },
  3: { state: 'active', confidence: 'likely' },
  4: { state: 'asking', confidence: 'guess' },
};

/**
 * Turns the signs in an agent's output into changes of its activity. Titles are read by the agent's kind, progress
 * sequences by `readProgress` or in general; bells and notifications say nothing sure. The newest sign wins. When title
 * and progress end a chunk in contradiction, having never agreed on the older one, neither counts and the state is
 * `unknown`: better than a wrong answer.
 * After a restart, give what was last known as `initial`, so that nothing is told twice.
 */
export function createActivityReader(kind: SignalReading & { initial?: Reading }): ActivityReader {
  let current: Reading = kind.initial ?? { state: 'unknown', confidence: 'guess' };
  const standing: Record<'title' | 'progress', ActivityReader['standing']> = { title: null, progress: null };
  const latest: { title: ActivityState | null; progress: ActivityState | null } = { title: null, progress: null };

  /** The sign as its source's newest reading, and whether the other source said the same when it came. */
  const take = (event: StatusEvent): Taken[] => {
    if (event.type !== 'title' && event.type !== 'progress') return [];
    const reading = event.type === 'title' ? kind.readTitle(event.title) : readProgress(kind, event.state);
    latest[event.type] = reading?.state ?? null;
    standing[event.type] = reading && { ...reading, offset: event.offset };
    const agreed = latest.title === latest.progress;
    return reading ? [{ ...reading, type: event.type, offset: event.offset, agreed }] : [];
  };

  return {
    get current() {
      return current;
    },
    get standing() {
      const { title, progress } = standing;
      return (title?.offset ?? -1) > (progress?.offset ?? -1) ? title : progress;
    },
    read(events) {
      const transitions: Transition[] = [];
      for (const { state, confidence, offset } of withoutContradiction(events.flatMap(take))) {
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

interface Taken extends Reading {
  type: 'title' | 'progress';
  offset: number;
  agreed: boolean;
}

/** Replaces two signs that contradict each other at the end of a chunk, and what stands between them, by `unknown`. */
function withoutContradiction(signs: Taken[]): Taken[] {
  const last = signs.at(-1);
  const older = signs.findLast((sign) => sign.type !== last?.type);
  if (!last || !older || older.state === last.state || older.agreed) return signs;
  return [...signs.slice(0, signs.indexOf(older)), { ...last, state: 'unknown', confidence: 'guess' }];
}

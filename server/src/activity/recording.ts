import type { ActivitySource, ActivityState, Confidence, Dispute } from '@agent-console/shared/models/worker';
import type { ScreenContent, ShownQuestion, Transition } from '../ports/agents.ts';
import { createActivityWatchers, type WatchedKind } from './watcher.ts';

export interface RecordingReading {
  activityState: ActivityState;
  source: ActivitySource;
  confidence: Confidence;
  disputed?: readonly Dispute[];
  question?: ShownQuestion;
}

/** So long after the last byte every source is believed as far as it ever is, and what nothing supports is forgotten. */
const LATER_MS = 45_000;

/**
 * What is known of an agent from its output alone: the signs in `recording`, and the screen that stood at its end, which
 * is taken as settled. The same code as for a living agent, with a clock of its own.
 */
export function readRecording(kind: WatchedKind, recording: Buffer, screen: ScreenContent): RecordingReading {
  let now = 0;
  const watchers = createActivityWatchers(
    () => kind,
    () => now,
  );
  const watcher = watchers('custom', { offset: 0, state: 'unknown', confidence: 'guess' });
  const changes = watcher.push(0, recording);
  now += 1;
  changes.push(...watcher.screen({ ...screen, offset: recording.length, settled: true }));
  now += LATER_MS;
  changes.push(...watcher.look());
  const last: Omit<Transition, 'offset'> = changes.at(-1) ?? {
    state: 'unknown',
    source: 'output',
    confidence: 'guess',
  };
  const question = watcher.question();
  return {
    activityState: last.state,
    source: last.source,
    confidence: last.confidence,
    ...(last.disputed === undefined ? {} : { disputed: last.disputed }),
    ...(question === null ? {} : { question }),
  };
}

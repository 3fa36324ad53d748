import type { ActivitySource, ActivityState, Confidence, Dispute } from '@agent-console/shared/models/worker';
import type { ScreenContent, ScreenQuestion, Transition, WatchedKind } from '../ports/agents.ts';
import { createActivityWatchers } from './watcher.ts';

export interface RecordingReading {
  activityState: ActivityState;
  source: ActivitySource;
  confidence: Confidence;
  disputed?: readonly Dispute[];
  question?: ScreenQuestion;
}

/**
 * Time in milliseconds that is simulated after the last output. Long enough for a source to overrule a more trusted
 * one, and for a state that no source reports any more to expire.
 */
const SETTLED_AFTER_MS = 45_000;

/** Determines an agent's activity from recorded output and the last screen. Uses the same code as for live agents. */
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
  now += SETTLED_AFTER_MS;
  changes.push(...watcher.tick());
  const last: Omit<Transition, 'offset'> = changes.at(-1) ?? {
    state: 'unknown',
    source: 'output',
    confidence: 'guess',
  };
  const question = watcher.screenQuestion();
  return {
    activityState: last.state,
    source: last.source,
    confidence: last.confidence,
    ...(last.disputed === undefined ? {} : { disputed: last.disputed }),
    ...(question === null ? {} : { question }),
  };
}

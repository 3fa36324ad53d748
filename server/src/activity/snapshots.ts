import type { ActivityState, Confidence } from '@agent-console/shared/models/worker';
import type { ScreenSnapshot } from '../ports/agents.ts';

interface Seen<Q> {
  state: ActivityState;
  confidence: Confidence;
  question: Q | null;
}

/**
 * Times that a state must be read in a row from screens that never settle, and for how long. ActivityOffsets of work do not come
 * about by half a repaint, their absence does.
 */
const REPEATED = 3;
const REPEATED_MS = { active: 300, other: 750 };

export interface SnapshotReader<Q> {
  /** The reading where it counts, null where the screen says nothing, undefined where it is too early to tell. */
  read(picture: ScreenSnapshot, at: number): Seen<Q> | null | undefined;
}

/**
 * Lets only those readings of a screen through that are not of a half-painted one: of a settled screen, or the same
 * several times in a row, since an agent that works repaints without a pause.
 */
export function createSnapshotReader<Q>(readScreen: (picture: ScreenSnapshot) => Seen<Q> | null): SnapshotReader<Q> {
  let row: { state: ActivityState | null; since: number; times: number } | null = null;
  return {
    read(picture, at) {
      const seen = readScreen(picture);
      const state = seen?.state ?? null;
      row = row?.state === state ? { ...row, times: row.times + 1 } : { state, since: at, times: 1 };
      const longEnough = state === 'active' ? REPEATED_MS.active : REPEATED_MS.other;
      if (picture.settled || (row.times >= REPEATED && at - row.since >= longEnough)) return seen;
      return undefined;
    },
  };
}

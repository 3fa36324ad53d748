import type { ActivityState } from '@agent-console/shared/models/worker';

/**
 * Offsets tell turns apart: whatever an agent prints because of an input stands behind the offset at which that input
 * was submitted, so a sign below it belongs to an earlier turn, however late it is read.
 */
export interface Signs {
  activityState: ActivityState;
  lastActiveOffset: number;
  lastIdleOffset: number;
  lastAskingOffset: number;
}

/** Whether the agent has shown that it took an input submitted at this offset. */
export function isAccepted(submittedOffset: number, signs: Signs): boolean {
  return Math.max(signs.lastActiveOffset, signs.lastAskingOffset) > submittedOffset;
}

/** Whether the turn that began with an accepted input is over. */
export function isTurnOver(submittedOffset: number, signs: Signs): boolean {
  const lastBusy = Math.max(signs.lastActiveOffset, signs.lastAskingOffset);
  return lastBusy > submittedOffset && signs.activityState === 'idle' && signs.lastIdleOffset > lastBusy;
}

/** The signs after one more transition. */
export function withTransition(signs: Signs, transition: { state: ActivityState; offset: number }): Signs {
  const { state, offset } = transition;
  return {
    activityState: state,
    lastActiveOffset: state === 'active' ? offset : signs.lastActiveOffset,
    lastIdleOffset: state === 'idle' ? offset : signs.lastIdleOffset,
    lastAskingOffset: state === 'asking' ? offset : signs.lastAskingOffset,
  };
}

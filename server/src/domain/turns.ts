import type { ActivitySource, ActivityState } from '@agent-console/shared/models/worker';

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

/** Whether the turn that began with an accepted input is over. Two reports read together stand at one offset. */
export function isTurnOver(submittedOffset: number, signs: Signs): boolean {
  const lastBusy = Math.max(signs.lastActiveOffset, signs.lastAskingOffset);
  return lastBusy > submittedOffset && signs.activityState === 'idle' && signs.lastIdleOffset >= lastBusy;
}

/**
 * The signs after one more transition. An agent's own report has no place in its output: it is newer than every sign that
 * was seen before it.
 */
export function withTransition(
  signs: Signs,
  transition: { state: ActivityState; offset: number; source?: ActivitySource },
): Signs {
  const { state, source } = transition;
  const seen = Math.max(signs.lastActiveOffset, signs.lastIdleOffset, signs.lastAskingOffset);
  const offset = source === 'hook' ? Math.max(transition.offset, seen) : transition.offset;
  return {
    activityState: state,
    lastActiveOffset: state === 'active' ? Math.max(offset, signs.lastActiveOffset) : signs.lastActiveOffset,
    lastIdleOffset: state === 'idle' ? Math.max(offset, signs.lastIdleOffset) : signs.lastIdleOffset,
    lastAskingOffset: state === 'asking' ? Math.max(offset, signs.lastAskingOffset) : signs.lastAskingOffset,
  };
}

/** The signs when the agent says itself that it took the input submitted at this offset. */
export function withPromptTaken(submittedOffset: number, signs: Signs): Signs {
  const behind = submittedOffset + 1;
  return {
    ...signs,
    lastActiveOffset: Math.max(signs.lastActiveOffset, behind),
    // It worked on it before it came to rest.
    lastIdleOffset:
      signs.activityState === 'idle'
        ? Math.max(signs.lastIdleOffset, signs.lastActiveOffset, behind)
        : signs.lastIdleOffset,
  };
}

/**
 * Characters by which a prompt is known again in what an agent reports: some cut it, indent it, put marks around it, or join
 * letters with the marks on them.
 */
const COMPARED_CHARS = 200;

/** Whether the prompt that an agent reports is this input. */
export function isSamePrompt(input: string, reported: string): boolean {
  const typed = withoutSpace(input).slice(0, COMPARED_CHARS);
  return typed !== '' && withoutSpace(reported).includes(typed);
}

/** Whether a text is an input word for word, whatever its spaces and line ends. */
export function isWholePrompt(input: string, text: string): boolean {
  return withoutSpace(input) === withoutSpace(text);
}

function withoutSpace(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, '');
}

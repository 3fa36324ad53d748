import type { ActivitySource, ActivityState } from '@agent-console/shared/models/worker';

/**
 * Offsets tell turns apart: whatever an agent prints because of an input stands behind the offset at which that input
 * was submitted, so a sign below it belongs to an earlier turn, however late it is read.
 */
export interface ActivityOffsets {
  activityState: ActivityState;
  lastActiveOffset: number;
  lastIdleOffset: number;
  lastAskingOffset: number;
}

/** How a turn ended, by the agent's own record of its conversation. */
export interface TurnEnd {
  /** `command`: the program did something itself; whether it asks its model besides is told by what follows. */
  how: 'answered' | 'failed' | 'interrupted' | 'command';
  /** The words of the error that ended it, those of the model's provider where there are any; null for other ends. */
  error: string | null;
}

/** What is known of the end of a turn beyond the fact that the agent came to rest. */
export interface TurnReport {
  /** What the agent said last, where it told it with the end; null where it did not. */
  words: string | null;
  /** The error that ended the turn; null for none. */
  failure: TurnFailure | null;
  /** Whether the end itself is known from the agent's record alone. */
  recorded: boolean;
}

/** An error that ended a turn: its words, who told them, and whether that leaves no doubt. */
export interface TurnFailure {
  message: string;
  source: 'hook' | 'transcript' | 'screen';
  certain: boolean;
}

/** A turn of whose end nothing is known but the agent's rest. */
export const NO_REPORT: TurnReport = { words: null, failure: null, recorded: false };

/** The error by which a recorded turn ended; null where it did not end so. */
export function recordedFailure(end: TurnEnd | null): TurnFailure | null {
  if (end?.how !== 'failed') return null;
  return { message: end.error ?? 'The agent tells no reason.', source: 'transcript', certain: true };
}

/** Whether the agent has shown that it took an input submitted at this offset. */
export function isAccepted(submittedOffset: number, activity: ActivityOffsets): boolean {
  return Math.max(activity.lastActiveOffset, activity.lastAskingOffset) > submittedOffset;
}

/** Whether the turn that began with an accepted input is over. Two reports read together stand at one offset. */
export function isTurnOver(submittedOffset: number, activity: ActivityOffsets): boolean {
  const lastBusy = Math.max(activity.lastActiveOffset, activity.lastAskingOffset);
  return lastBusy > submittedOffset && activity.activityState === 'idle' && activity.lastIdleOffset >= lastBusy;
}

/**
 * The activity after one more transition. An agent's own report has no place in its output: it is newer than every sign that
 * was seen before it.
 */
export function withTransition(
  activity: ActivityOffsets,
  transition: { state: ActivityState; offset: number; source?: ActivitySource },
): ActivityOffsets {
  const { state, source } = transition;
  const seen = Math.max(activity.lastActiveOffset, activity.lastIdleOffset, activity.lastAskingOffset);
  const offset = source === 'hook' ? Math.max(transition.offset, seen) : transition.offset;
  return {
    activityState: state,
    lastActiveOffset: state === 'active' ? Math.max(offset, activity.lastActiveOffset) : activity.lastActiveOffset,
    lastIdleOffset: state === 'idle' ? Math.max(offset, activity.lastIdleOffset) : activity.lastIdleOffset,
    lastAskingOffset: state === 'asking' ? Math.max(offset, activity.lastAskingOffset) : activity.lastAskingOffset,
  };
}

/** The activity when the agent says itself that it took the input submitted at this offset. */
export function withPromptTaken(submittedOffset: number, activity: ActivityOffsets): ActivityOffsets {
  const behind = submittedOffset + 1;
  return {
    ...activity,
    lastActiveOffset: Math.max(activity.lastActiveOffset, behind),
    // It worked on it before it came to rest.
    lastIdleOffset:
      activity.activityState === 'idle'
        ? Math.max(activity.lastIdleOffset, activity.lastActiveOffset, behind)
        : activity.lastIdleOffset,
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

/** Whether a text is an input word for word, whatever its spaces, line ends and escaped activity. */
export function isWholePrompt(input: string, text: string): boolean {
  return withoutSpace(input) === withoutSpace(text);
}

/** Gemini CLI writes a pasted `@` as `\@`, so that it names no file. */
function withoutSpace(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, '').replace(/\\+@/g, '@');
}

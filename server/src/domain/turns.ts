import type { ActivitySource, ActivityState } from '@agent-console/shared/models/worker';

/**
 * Log offsets of an agent's last activity signals. A signal below the offset at which an input was submitted belongs to
 * an earlier turn, even if the console reads it late.
 */
export interface ActivityOffsets {
  activityState: ActivityState;
  lastActiveOffset: number;
  lastIdleOffset: number;
  lastAskingOffset: number;
}

/** End of a turn according to the agent's transcript. */
export interface TurnEnd {
  /**
   * `command`: the agent's program ran a slash command. The turn may not be over: the command may also call the model,
   * which only later entries of the transcript show.
   */
  how: 'answered' | 'failed' | 'interrupted' | 'command';
  /**
   * Error that ended the turn, in the model provider's words if available. Null if the error is unknown or the turn
   * ended without an error.
   */
  error: string | null;
  /**
   * Time, as ISO 8601, at which the subscription limit that ended the turn is reset; absent if the agent does not
   * report it.
   */
  resetsAt?: string;
}

/** Details of the end of a turn that an agent or its transcript reports. */
export interface TurnReport {
  /** The agent's last message, if it is part of the report; otherwise null. */
  lastMessage: string | null;
  failure: TurnFailure | null;
  /** Whether only the agent's transcript shows that the turn has ended. */
  recorded: boolean;
}

/** Error that ended a turn, with the source that reported it. */
export interface TurnFailure {
  message: string;
  source: 'protocol' | 'hook' | 'transcript' | 'screen';
  certain: boolean;
  /** Time, as ISO 8601, at which the subscription limit that ended the turn is reset; absent if it is unknown. */
  resetsAt?: string;
}

/** Report for a turn whose end is known only because the agent is idle. */
export const NO_REPORT: TurnReport = { lastMessage: null, failure: null, recorded: false };

/** Returns the error that ended a turn according to the transcript; null if the turn ended without an error. */
export function recordedFailure(end: TurnEnd | null): TurnFailure | null {
  if (end?.how !== 'failed') return null;
  const reset = end.resetsAt === undefined ? {} : { resetsAt: end.resetsAt };
  return {
    message: end.error ?? 'The agent did not say why it failed.',
    source: 'transcript',
    certain: true,
    ...reset,
  };
}

/** Whether a signal shows that the agent accepted the input submitted at this offset. */
export function isAccepted(submittedOffset: number, activity: ActivityOffsets): boolean {
  return Math.max(activity.lastActiveOffset, activity.lastAskingOffset) > submittedOffset;
}

/**
 * Whether the input submitted at this offset was accepted and its turn is over. The start and the end of a turn have
 * the same offset if the console read them together.
 */
export function isTurnOver(submittedOffset: number, activity: ActivityOffsets): boolean {
  const lastBusy = Math.max(activity.lastActiveOffset, activity.lastAskingOffset);
  return lastBusy > submittedOffset && activity.activityState === 'idle' && activity.lastIdleOffset >= lastBusy;
}

/**
 * Returns the offsets after the agent's activity changed. A hook's report has no position of its own in the output, so
 * it gets at least the highest offset of the earlier signals.
 */
export function withTransition(
  activity: ActivityOffsets,
  transition: { state: ActivityState; offset: number; source?: ActivitySource },
): ActivityOffsets {
  const { state, source } = transition;
  const latest = Math.max(activity.lastActiveOffset, activity.lastIdleOffset, activity.lastAskingOffset);
  const offset = source === 'hook' ? Math.max(transition.offset, latest) : transition.offset;
  return {
    activityState: state,
    lastActiveOffset: state === 'active' ? Math.max(offset, activity.lastActiveOffset) : activity.lastActiveOffset,
    lastIdleOffset: state === 'idle' ? Math.max(offset, activity.lastIdleOffset) : activity.lastIdleOffset,
    lastAskingOffset: state === 'asking' ? Math.max(offset, activity.lastAskingOffset) : activity.lastAskingOffset,
  };
}

/** Returns `activity`, updated for the agent's own report that it accepted the input submitted at `submittedOffset`. */
export function withPromptAccepted(submittedOffset: number, activity: ActivityOffsets): ActivityOffsets {
  const acceptedOffset = submittedOffset + 1;
  return {
    ...activity,
    lastActiveOffset: Math.max(activity.lastActiveOffset, acceptedOffset),
    // If the agent is already idle, it finished the turn before the console read this report. So `lastIdleOffset` must
    // not be lower than the new `lastActiveOffset`.
    lastIdleOffset:
      activity.activityState === 'idle'
        ? Math.max(activity.lastIdleOffset, activity.lastActiveOffset, acceptedOffset)
        : activity.lastIdleOffset,
  };
}

/**
 * Number of characters of a typed prompt that are compared with the prompt that an agent says it received. The rest may
 * differ, because agents cut, indent, quote or normalize the prompts that they report.
 */
const COMPARED_CHARS = 200;

/** Whether the prompt reported by an agent contains the start of this input. */
export function isSamePrompt(input: string, reported: string): boolean {
  const typed = withoutSpace(input).slice(0, COMPARED_CHARS);
  return typed !== '' && withoutSpace(reported).includes(typed);
}

/** Whether a text equals an input, ignoring white space and escaped `@`. */
export function isWholePrompt(input: string, text: string): boolean {
  return withoutSpace(input) === withoutSpace(text);
}

/** Removes white space and the backslash before `@`, which Gemini CLI adds so that the `@` references no file. */
function withoutSpace(text: string): string {
  return text.normalize('NFC').replace(/\s+/g, '').replace(/\\+@/g, '@');
}

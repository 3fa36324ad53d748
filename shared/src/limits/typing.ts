/** Typing to an agent: when it is ready, when Enter is pressed, and when its acknowledgement is due. */
import { MINUTE, SECOND } from './units.ts';

/** An idle agent that shows no input line, or has not reported its start, is typed to after this much silence. */
export const READY_SILENT_MS = 15 * SECOND;
/**
 * The same agent is typed to after this time even if it still prints: its reports are off, or its line is unreadable.
 */
export const READY_WITHIN_MS = 45 * SECOND;
/** A new agent has loaded its conversation when it printed nothing for this long. */
export const FRESH_SETTLED_MS = 1 * SECOND;
/**
 * A prompt that waits this long for an agent without any signal is shown as starting: opencode takes up to a minute.
 */
export const SLOW_START_MS = 10 * SECOND;
/** An agent of unknown activity with queueWhenUnknown "send" gets its prompt after this much silence. */
export const SEND_UNKNOWN_AFTER_MS = 2 * SECOND;
/** A session silent and unknown for this long shows its queued prompt as blocked. */
export const UNKNOWN_SILENT_MS = 30 * SECOND;
/** A person's unfinished line counts as abandoned after this much silence. */
export const UNFINISHED_LINE_MS = 10 * MINUTE;
/** Workers whose last key is remembered; the one untouched longest is forgotten first. */
export const KEYS_REMEMBERED = 1_000;

/** Pause between a paste and its Enter: agents merge a faster Enter into the paste. */
export const PASTE_SETTLE_MS = 120;
/** Longest wait for an agent that shows the paste and continues to print. */
export const PASTE_DRAWN_WITHIN_MS = 1 * SECOND;
/** A paste that the screen does not show within this time gets its Enter anyway; 100 kB are shown within a second. */
export const PASTE_SHOWN_WITHIN_MS = 10 * SECOND;
/** Poll interval of the screen for a paste. */
export const LINE_POLL_MS = 100;

/** Presses of Enter for one input: a starting agent may treat one as a line break, on a busy machine more. */
export const ENTERS_MAX = 6;
/** An unacknowledged input whose text is still in the line gets further presses for this long. */
export const ENTERS_WITHIN_MS = 90 * SECOND;
/**
 * Pause between the first two presses, doubled for each further one: an agent that accepted the first has emptied its
 * line by then.
 */
export const ENTER_AGAIN_AFTER_MS = 2 * SECOND;
/** Inputs whose repeated presses are remembered; for a forgotten one, the runner still does each press once. */
export const ENTERS_REMEMBERED = 1_000;

/** An input that the agent does not acknowledge within this time is shown as uncertain. */
export const ACCEPT_WITHIN_MS = 30 * SECOND;
/** An agent that is idle for this long after a command to itself, and began no turn, has executed it. */
export const COMMAND_IDLE_MS = 5 * SECOND;
/** Poll interval of screen and conversation while an input is not acknowledged. */
export const ACCEPT_POLL_MS = 500;

/** Typing to an agent: when it is ready, when Enter is pressed, and how long to wait for its acknowledgement. */
import { MINUTE, SECOND } from './units.ts';

/**
 * An idle agent receives a prompt after this time without output, even if it has not reported its start or its input
 * line was not recognised.
 */
export const READY_SILENT_MS = 15 * SECOND;
/** A starting agent receives a prompt after this time at the latest, even if it still prints. */
export const READY_WITHIN_MS = 45 * SECOND;
/** A new agent has loaded its conversation once it has printed nothing for this long. */
export const FRESH_SETTLED_MS = 1 * SECOND;
/** A prompt that waits this long for an agent's first signal shows as starting; opencode takes up to 60 s. */
export const SLOW_START_MS = 10 * SECOND;
/** With queueWhenUnknown "send", a prompt is typed after this time without output while the activity is unknown. */
export const SEND_UNKNOWN_AFTER_MS = 2 * SECOND;
/** A queued prompt shows as blocked if the agent has printed nothing for this long and its activity is unknown. */
export const UNKNOWN_SILENT_MS = 30 * SECOND;
/** A person's unfinished input line counts as abandoned after this time without a key press. */
export const UNFINISHED_LINE_MS = 10 * MINUTE;
/** Workers whose last key press is remembered; the least recently used worker is forgotten first. */
export const KEYS_REMEMBERED = 1_000;

/** Pause between a paste and its Enter; if Enter follows faster, agents treat it as part of the paste. */
export const PASTE_SETTLE_MS = 120;
/** A paste counts as completely drawn at most this long after it was sent, even if the agent continues to print. */
export const PASTE_DRAWN_WITHIN_MS = 1 * SECOND;
/** A paste that the screen does not show within this time is submitted anyway. Even 100 kB appear within a second. */
export const PASTE_SHOWN_WITHIN_MS = 10 * SECOND;
/** Poll interval of the screen while waiting for a paste to appear. */
export const LINE_POLL_MS = 100;

/** Maximum presses of Enter for one input. A starting agent may treat the first ones as line breaks. */
export const ENTERS_MAX = 6;
/** While an unacknowledged input's text remains in the input line, Enter is pressed again for this long. */
export const ENTERS_WITHIN_MS = 90 * SECOND;
/** Pause between the first two presses of Enter, so that the agent can submit the text. Each further pause doubles. */
export const ENTER_AGAIN_AFTER_MS = 2 * SECOND;
/** Inputs whose presses of Enter are counted. If a count is lost, the runner still performs each press only once. */
export const ENTERS_REMEMBERED = 1_000;

/** An input that the agent does not acknowledge within this time is shown as uncertain. */
export const ACCEPT_WITHIN_MS = 30 * SECOND;
/** A slash command counts as executed if the agent began no turn and has been idle for this long. */
export const COMMAND_IDLE_MS = 5 * SECOND;
/** Poll interval of screen and conversation while an input is unacknowledged. */
export const ACCEPT_POLL_MS = 500;

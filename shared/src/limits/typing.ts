import { MINUTE, SECOND } from './units.ts';

/**
 * Time without output after which an idle agent receives a prompt, even without a reported start or a recognised input
 * line.
 */
export const READY_SILENT_MS = 15 * SECOND;
/**
 * Maximum time that a prompt waits for a starting agent. After that, the agent receives the prompt even if it still
 * prints.
 */
export const READY_WITHIN_MS = 45 * SECOND;
/** Time without output after which the console assumes that a new agent has loaded its conversation. */
export const FRESH_SETTLED_MS = 1 * SECOND;
/**
 * Time after which a waiting prompt is shown as blocked by the start of its agent, if the agent has sent no signal yet.
 * opencode takes up to 60 s to start.
 */
export const SLOW_START_MS = 10 * SECOND;
/**
 * Time without output after which a prompt is typed even if the activity of the agent is unknown. Applies only to
 * agents whose `queueWhenUnknown` is `send`.
 */
export const SEND_UNKNOWN_AFTER_MS = 2 * SECOND;
/** Time without output after which a queued prompt is shown as blocked, if the agent's activity is unknown. */
export const UNKNOWN_SILENT_MS = 30 * SECOND;
/** Time without a key press after which a person's unfinished input line counts as abandoned. */
export const UNFINISHED_LINE_MS = 10 * MINUTE;
/** Maximum workers whose last key press is remembered. The worker with the oldest key press is forgotten first. */
export const KEYS_REMEMBERED = 1_000;

/** Pause between a paste and its Enter. If Enter follows sooner, agents treat it as part of the paste. */
export const PASTE_SETTLE_MS = 120;
/**
 * Time after which the console assumes that an agent has drawn a sent paste completely, even if the agent continues to
 * print.
 */
export const PASTE_DRAWN_WITHIN_MS = 1 * SECOND;
/** Time after which a paste is submitted even if the screen does not show it. Even 100 kB appear within a second. */
export const PASTE_SHOWN_WITHIN_MS = 10 * SECOND;
/** Poll interval of the screen while waiting for a paste to appear. */
export const LINE_POLL_MS = 100;

/** Maximum presses of Enter for one input. A starting agent may treat the first presses as line breaks. */
export const ENTERS_MAX = 6;
/**
 * Time after ACCEPT_WITHIN_MS during which the console continues to press Enter if the agent's input line still
 * contains the text.
 */
export const ENTERS_WITHIN_MS = 90 * SECOND;
/**
 * Pause between the first two presses of Enter for an input. If the agent submits the text during the pause, the second
 * press is omitted. Each further pause is twice as long.
 */
export const ENTER_AGAIN_AFTER_MS = 2 * SECOND;
/**
 * Maximum inputs for which the server remembers how often it pressed Enter. If the server forgets an input and requests
 * its presses again, the runner ignores them, because it performs each press only once.
 */
export const ENTERS_REMEMBERED = 1_000;

/** Time after which an input that the agent has not acknowledged is shown as uncertain. */
export const ACCEPT_WITHIN_MS = 30 * SECOND;
/** Idle time after which a slash command counts as executed, if the agent began no turn. */
export const COMMAND_IDLE_MS = 5 * SECOND;
/** Poll interval of the screen and the conversation while an input is unacknowledged. */
export const ACCEPT_POLL_MS = 500;

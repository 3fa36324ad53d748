/** What is typed to an agent: when it is ready, when Enter is pressed, and when its answer is due. */
import { MINUTE, SECOND } from './units.ts';

/** An idle agent that shows no input line, or has not reported its start, is typed to after this much silence nevertheless ... */
export const READY_SILENT_MS = 15 * SECOND;
/** ... and after this time although it goes on printing: its reports are switched off, or nobody can read its line. */
export const READY_WITHIN_MS = 45 * SECOND;
/** An agent that was just started has loaded what it takes up when it printed nothing for this long. */
export const FRESH_SETTLED_MS = 1 * SECOND;
/** A prompt that waits this long for an agent that has shown nothing yet says that it starts: opencode takes up to a minute. */
export const SLOW_START_MS = 10 * SECOND;
/** An agent of unknown activity whose definition says "send" gets its prompt after this much silence. */
export const SEND_UNKNOWN_AFTER_MS = 2 * SECOND;
/** A session silent and unknown this long shows its queued prompt as blocked. */
export const UNKNOWN_SILENT_MS = 30 * SECOND;
/** A human's unfinished line counts as abandoned after this much quiet. */
export const DIRTY_LINE_MS = 10 * MINUTE;
/** Workers whose last key is remembered; the longest untouched is forgotten first. */
export const KEYS_REMEMBERED = 1_000;

/** Between a paste and its Enter: agents merge a faster Enter into the paste. */
export const PASTE_SETTLE_MS = 120;
/** One that shows its paste has this much silence before its Enter too, but goes on to print no longer than this. */
export const PASTE_DRAWN_WITHIN_MS = 1 * SECOND;
/** A paste that the screen does not show within this time gets its Enter nevertheless; 100 kB are shown within a second. */
export const PASTE_SHOWN_WITHIN_MS = 10 * SECOND;
/** An agent's screen is looked at this often for a paste that it should show. */
export const LINE_LOOK_MS = 100;

/** Presses of Enter for one input: an agent that starts may take one for a line break, on a busy machine more. */
export const ENTERS_MAX = 6;
/** An unacknowledged input whose text still stands in the line is given this much longer for them. */
export const ENTERS_WITHIN_MS = 90 * SECOND;
/** Between the first two presses, doubled for each further one: an agent that took the first has emptied its line by then. */
export const ENTER_AGAIN_AFTER_MS = 2 * SECOND;
/** Inputs whose repeated presses are remembered; of one that is forgotten the runner still does each press once. */
export const ENTERS_REMEMBERED = 1_000;

/** An input that the agent does not acknowledge within this time is shown as uncertain. */
export const ACCEPT_WITHIN_MS = 30 * SECOND;
/** An agent that rests this long behind a command to itself, and began no turn, has done it. */
export const COMMAND_RESTS_MS = 5 * SECOND;
/** While an input is not acknowledged, screen and conversation are looked at this often. */
export const ACCEPT_LOOK_MS = 500;

import { KIB, MIB, SECOND } from './units.ts';

/**
 * Maximum bytes of an escape sequence that sets a title or reports progress or a notification. A longer sequence has
 * another purpose, so it is skipped.
 */
export const STATUS_SEQUENCE_MAX_BYTES = 4 * KIB;

/**
 * Maximum bytes of a signals file, so that a runaway hook cannot fill the disk. A day of hook reports is far smaller.
 */
export const SIGNALS_MAX_BYTES = 8 * MIB;
/**
 * Bytes read at once from a signals file, to which an agent's hooks append. A longer line is skipped; a line with the
 * longest prompt is far shorter.
 */
export const SIGNALS_READ_BYTES = 1 * MIB;
/**
 * Poll interval of a signals file, in addition to file system events, because some systems do not report that a file
 * grew.
 */
export const SIGNALS_POLL_MS = 1 * SECOND;

/** Poll interval of an agent's screen while the agent prints. */
export const SCREEN_POLL_MS = 100;
/**
 * Longest poll interval of a screen that still processes output after the agent has stopped printing. The interval
 * starts at SCREEN_POLL_MS and doubles with each poll.
 */
export const SCREEN_POLL_MAX_MS = 5 * SECOND;
/** Time without output after which the console assumes that an agent has finished painting its screen. */
export const SCREEN_SETTLED_MS = 300;

/** Maximum bytes of a recording passed to `agents read-screen`: as many as an output log can contain. */
export const RECORDING_MAX_BYTES = 64 * MIB;

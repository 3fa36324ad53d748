/** Screens of workers in the server: memory, checkpoints, and their worker thread. */
import { KIB, MIB, SECOND } from './units.ts';

/** Scrollback lines of a server-side screen. A screen with full scrollback takes about 2.3 MB at 120 columns. */
export const SCREEN_HISTORY_LINES = 1_000;
/** Maximum scrollback lines in a `workers.screen` answer: all that are retained. */
export const SCREEN_ANSWER_LINES_MAX = 1_000;
/** Bytes sent to one screen that it has not processed yet: about 15 ms of work. */
export const SCREEN_WINDOW_BYTES = 512 * KIB;
/** A screen this far behind its output skips ahead: a quarter of a second of work, too long for a reader to wait. */
export const SCREEN_LAG_BYTES = 8 * MIB;
/** Bytes replayed after skipping ahead: more than a screen and its scrollback of ordinary lines. */
export const SCREEN_SKIP_TO_BYTES = 1 * MIB;
/** Interval of flood checks. A screen is correct at most two intervals after a flood. */
export const SCREEN_FLOOD_CHECK_MS = 200;
/** More output than this between two checks is a flood (10 MB/s, too fast for any reader), so the screen pauses. */
export const SCREEN_FLOOD_BYTES = 2 * MIB;
/** Maximum resizes queued for one screen; then the oldest are skipped. */
export const SCREEN_RESIZES_MAX = 1_000;
/** A read waits this long for the screen to process the newest output, then returns the screen as it is. */
export const SCREEN_READ_MS = 5 * SECOND;
/** An unused screen is released after this time. */
export const SCREEN_UNUSED_MS = 60 * SECOND;

/** A screen's state is stored after this much output, so that a restart never parses more. */
export const SCREEN_CHECKPOINT_BYTES = 1 * MIB;
/** Minimum interval between two stored states, because storing one takes about 10 ms. */
export const SCREEN_CHECKPOINT_MS = 1 * SECOND;
/** A screen's state is also stored when its output has paused for this long. */
export const SCREEN_IDLE_MS = 300;
/** Maximum bytes of a stored screen; larger files are not read. Full scrollback in many colours is far smaller. */
export const SCREEN_CHECKPOINT_MAX_BYTES = 32 * MIB;

/** The screen thread ends after this time without screens. */
export const SCREEN_THREAD_IDLE_MS = 30 * SECOND;
/** A busy thread that is silent for this long is considered hung and restarted. */
export const SCREEN_HANG_MS = 10 * SECOND;
/** Heap limit of the screen thread. A thread that exceeds it ends and restarts; the server is not affected. */
export const SCREEN_HEAP_MB = 1_024;
/** First pause before a failed thread restarts; it doubles up to SCREEN_RESTART_MAX_MS. */
export const SCREEN_RESTART_MS = 50;
export const SCREEN_RESTART_MAX_MS = 10 * SECOND;
/** A failed thread that ran this long restarts after SCREEN_RESTART_MS again. */
export const SCREEN_THREAD_STABLE_MS = 30 * SECOND;

/** Bytes of output before a page that are rendered together with it, so that redrawn lines are recognised. */
export const SCREEN_LEAD_BYTES = 128 * KIB;
/** Scrollback lines of a rendering terminal: enough that every line is read before it is dropped. */
export const SCREEN_RENDER_HISTORY_LINES = 2_000;

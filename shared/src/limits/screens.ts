/** Screens of workers in the server: memory, checkpoints, and the thread that runs them. */
import { KIB, MIB, SECOND } from './units.ts';

/** Scrollback lines of a server-side screen; with them an agent's screen takes about 2.3 MB at 120 columns. */
export const SCREEN_HISTORY_LINES = 1_000;
/** Maximum scrollback lines in a `workers.screen` answer: all that are retained. */
export const SCREEN_ANSWER_LINES_MAX = 1_000;
/** Bytes on their way to one screen that it has not written yet: about 15 ms of its work. */
export const SCREEN_WINDOW_BYTES = 512 * KIB;
/** A screen this far behind its output skips ahead: a quarter of a second of work, which no reader should wait for. */
export const SCREEN_LAG_BYTES = 8 * MIB;
/** Output from which a screen that skips ahead is drawn: more than a screen and its history of ordinary lines. */
export const SCREEN_SKIP_TO_BYTES = 1 * MIB;
/** Interval of the check for floods; the screen is right at most two of them after a flood. */
export const SCREEN_FLOOD_CHECK_MS = 200;
/**
 * More output than this between two checks is a flood, during which a screen pauses: 10 MB/s, which no reader can
 * follow.
 */
export const SCREEN_FLOOD_BYTES = 2 * MIB;
/** Resizes on their way to one screen; beyond, the oldest are skipped. */
export const SCREEN_RESIZES_MAX = 1_000;
/** A read waits this long for the screen to reach the newest output; then the screen is returned as it is. */
export const SCREEN_READ_MS = 5 * SECOND;
/** An unused screen is released after this time. */
export const SCREEN_UNUSED_MS = 60 * SECOND;

/** Output after which a screen's state is stored; a restart parses no more than this. */
export const SCREEN_CHECKPOINT_BYTES = 1 * MIB;
/** Shortest interval between two stored states, since storing one takes about 10 ms. */
export const SCREEN_CHECKPOINT_MS = 1 * SECOND;
/** A screen's state is also stored when its output has paused for this long. */
export const SCREEN_IDLE_MS = 300;
/** Bytes of a stored screen; larger files are not read. A full history in changing colours stays far below. */
export const SCREEN_CHECKPOINT_MAX_BYTES = 32 * MIB;

/** The screen thread ends after this time without a screen. */
export const SCREEN_THREAD_IDLE_MS = 30 * SECOND;
/** A busy thread that is silent for this long hangs, and is restarted. */
export const SCREEN_HANG_MS = 10 * SECOND;
/** Heap of the screen thread; beyond it the thread ends and restarts without effect on the server. */
export const SCREEN_HEAP_MB = 1_024;
/** First pause before a thread that died restarts; it doubles up to SCREEN_RESTART_MAX_MS. */
export const SCREEN_RESTART_MS = 50;
export const SCREEN_RESTART_MAX_MS = 10 * SECOND;
/** A thread that lived this long restarts with the first pause again. */
export const SCREEN_THREAD_STABLE_MS = 30 * SECOND;

/** Output before a page that is rendered with it, so that redrawn lines are recognised. */
export const SCREEN_LEAD_BYTES = 128 * KIB;
/** Lines that a rendering terminal retains between two reads: more than a piece of output can scroll. */
export const SCREEN_RENDER_HISTORY_LINES = 2_000;

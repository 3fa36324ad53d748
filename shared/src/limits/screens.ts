/** Screens of workers in the server: what they keep, their checkpoints, and the thread they live in. */
import { KIB, MIB, SECOND } from './units.ts';

/** Lines kept above a server-side screen; with them an agent's screen takes about 2.3 MB at 120 columns. */
export const SCREEN_HISTORY_LINES = 1_000;
/** Lines above the screen in a `workers.screen` answer, at most: all that are kept. */
export const SCREEN_ANSWER_LINES_MAX = 1_000;
/** Bytes on their way to one screen that it has not written yet: about 15 ms of its work. */
export const SCREEN_WINDOW_BYTES = 512 * KIB;
/** A screen this far behind its output skips ahead: a quarter of a second of work, which no reader should wait for. */
export const SCREEN_LAG_BYTES = 8 * MIB;
/** What a screen that skips begins in: more than a screen and its history of ordinary lines. */
export const SCREEN_SKIP_TO_BYTES = 1 * MIB;
/** Between two looks at whether a worker floods; the screen is right at most two of them after a flood. */
export const SCREEN_LOOK_MS = 200;
/** More output than this between two looks is a flood, in which a screen rests: 10 MB/s, which no reader can follow. */
export const SCREEN_FLOOD_BYTES = 2 * MIB;
/** Resizes on their way to one screen; the oldest are passed over beyond. */
export const SCREEN_RESIZES_MAX = 1_000;
/** A screen is waited for this long to reach the newest output; then it is shown as it is. */
export const SCREEN_ASK_MS = 5 * SECOND;
/** A screen that nobody needs any more is let go after this time. */
export const SCREEN_KEPT_MS = 60 * SECOND;

/** Output after which a screen's state is stored; a restart has to parse no more than this. */
export const SCREEN_CHECKPOINT_BYTES = 1 * MIB;
/** ... at most this often, since storing one takes about 10 ms. */
export const SCREEN_CHECKPOINT_MS = 1 * SECOND;
/** A screen's state is also stored when its output has paused this long. */
export const SCREEN_IDLE_MS = 300;
/** Bytes of a stored screen; larger files are not read. A full history in changing colours stays far below. */
export const SCREEN_CHECKPOINT_MAX_BYTES = 32 * MIB;

/** The thread of the screens ends when there was none for this time. */
export const SCREEN_THREAD_IDLE_MS = 30 * SECOND;
/** A thread that has work and says nothing for this long hangs, and is started again. */
export const SCREEN_HANG_MS = 10 * SECOND;
/** Memory of the thread's heap; beyond it the thread ends and starts again, and the server does not notice. */
export const SCREEN_HEAP_MB = 1_024;
/** First pause before a thread that died is started again; it doubles up to SCREEN_RESTART_MAX_MS. */
export const SCREEN_RESTART_MS = 50;
export const SCREEN_RESTART_MAX_MS = 10 * SECOND;
/** A thread that lived this long starts again without a longer pause. */
export const SCREEN_THREAD_STEADY_MS = 30 * SECOND;

/** Output before a page that is rendered with it, so that lines drawn anew are known. */
export const SCREEN_LEAD_BYTES = 128 * KIB;
/** Lines that a rendering terminal keeps between two looks: more than a piece of output can scroll. */
export const SCREEN_RENDER_HISTORY_LINES = 2_000;

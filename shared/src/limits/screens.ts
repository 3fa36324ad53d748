import { KIB, MIB, SECOND } from './units.ts';

/** Scrollback lines of a server-side screen. A screen with full scrollback takes about 2.3 MB at 120 columns. */
export const SCREEN_HISTORY_LINES = 1_000;
/** Maximum scrollback lines in a response of `workers.screen`: the whole scrollback of a server-side screen. */
export const SCREEN_ANSWER_LINES_MAX = 1_000;
/** Maximum bytes of output that a screen has received but not processed yet: about 15 ms of work. */
export const SCREEN_WINDOW_BYTES = 512 * KIB;
/**
 * Number of unprocessed bytes from which a screen skips old output, because processing them would take a quarter of a
 * second.
 */
export const SCREEN_LAG_BYTES = 8 * MIB;
/**
 * Number of bytes that a screen still processes after it has skipped older output. They are enough to fill the screen
 * and its scrollback with ordinary lines.
 */
export const SCREEN_SKIP_TO_BYTES = 1 * MIB;
/**
 * Interval between two checks of the output rate. After a flood of output ends, a screen is up to date within two
 * intervals.
 */
export const SCREEN_FLOOD_CHECK_MS = 200;
/**
 * If more than this many bytes of output arrive between two checks (10 MB/s, too fast to read), the output is a flood.
 * The screen processes no output until the flood ends or somebody reads the screen.
 */
export const SCREEN_FLOOD_BYTES = 2 * MIB;
/** Maximum resizes queued for one screen. If there are more, the oldest are skipped. */
export const SCREEN_RESIZES_MAX = 1_000;
/**
 * Maximum time that a read waits for the screen to process the newest output. After that, it returns the screen as it
 * is.
 */
export const SCREEN_READ_MS = 5 * SECOND;
/** Time after which an unused screen is released. */
export const SCREEN_UNUSED_MS = 60 * SECOND;

/**
 * Bytes of output after which a screen's state is stored, so that a restarted server never has to process more than
 * that.
 */
export const SCREEN_CHECKPOINT_BYTES = 1 * MIB;
/** Minimum interval between two times that a screen's state is stored, because storing it takes about 10 ms. */
export const SCREEN_CHECKPOINT_MS = 1 * SECOND;
/** Time without output after which a screen's state is stored even before SCREEN_CHECKPOINT_BYTES. */
export const SCREEN_IDLE_MS = 300;
/**
 * Maximum bytes of a screen's checkpoint; larger files are not read. Full scrollback in many colours is far smaller.
 */
export const SCREEN_CHECKPOINT_MAX_BYTES = 32 * MIB;

/** Time after which a screen thread that has no screens ends. */
export const SCREEN_THREAD_IDLE_MS = 30 * SECOND;
/** Time after which a busy screen thread that sends nothing counts as hung and is restarted. */
export const SCREEN_HANG_MS = 10 * SECOND;
/** Heap limit of the screen thread. A thread that exceeds the limit ends and restarts; the server is not affected. */
export const SCREEN_HEAP_MB = 1_024;
/** First pause before the screen thread restarts after a failure. The pause doubles up to SCREEN_RESTART_MAX_MS. */
export const SCREEN_RESTART_MS = 50;
export const SCREEN_RESTART_MAX_MS = 10 * SECOND;
/**
 * If a screen thread has run for at least this time before it fails, the pause before its restart is SCREEN_RESTART_MS
 * again.
 */
export const SCREEN_THREAD_STABLE_MS = 30 * SECOND;

/**
 * Maximum bytes of earlier output that are drawn before a page of output is drawn. Lines of the earlier output that the
 * page only redraws are not returned again.
 */
export const SCREEN_LEAD_BYTES = 128 * KIB;
/**
 * Scrollback lines of the terminal that renders a page of output. With fewer lines, the terminal would drop the first
 * lines of a page before they are read.
 */
export const SCREEN_RENDER_HISTORY_LINES = 2_000;

/** Activity signals of an agent: titles, the signals file, and its screen. */
import { KIB, MIB, SECOND } from './units.ts';

/** Bytes of an escape sequence that reports title, progress or a notification; longer ones carry data, not status. */
export const STATUS_SEQUENCE_MAX_BYTES = 4 * KIB;

/** Bytes of a worker's signals file; a day of hooks is far less, and a runaway hook must not fill the disk. */
export const SIGNALS_MAX_BYTES = 8 * MIB;
/** Bytes read of a signals file at once; a longer line is skipped: the largest prompt is a tenth of it. */
export const SIGNALS_READ_BYTES = 1 * MIB;
/** Poll interval of a signals file, also where the system does not report its growth. */
export const SIGNALS_POLL_MS = 1 * SECOND;

/** Poll interval of an agent's screen while it prints: three polls tell work from a half-painted screen. */
export const SCREEN_POLL_MS = 100;
/** Longest poll interval of a screen that lags behind its output. */
export const SCREEN_POLL_MAX_MS = 5 * SECOND;
/** A screen has settled when nothing was printed for this long. */
export const SCREEN_SETTLED_MS = 300;

/** Bytes of a recording read by hand; a worker's whole log is no larger. */
export const RECORDING_MAX_BYTES = 64 * MIB;

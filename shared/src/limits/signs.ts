/** What shows how an agent is: its titles, its signals file, and looks at its screen. */
import { KIB, MIB, SECOND } from './units.ts';

/** Bytes of an escape sequence that reports title, progress or a notification; longer ones carry data, not status. */
export const STATUS_SEQUENCE_MAX_BYTES = 4 * KIB;

/** Bytes of a worker's signals file; a day of hooks is far less, and a hook that runs wild must not fill the disk. */
export const SIGNALS_MAX_BYTES = 8 * MIB;
/** Read of a signals file at once; a longer line than this is passed over: the largest prompt is a tenth of it. */
export const SIGNALS_READ_BYTES = 1 * MIB;
/** A signals file is looked at this often, also where the system does not tell of its growth. */
export const SIGNALS_LOOK_MS = 1 * SECOND;

/** An agent's screen is looked at this often while it prints: three looks tell work from a half-painted screen. */
export const SCREEN_GLANCE_MS = 100;
/** Pause up to which looks at a screen that lags behind its output become rarer. */
export const SCREEN_GLANCE_MAX_MS = 5 * SECOND;
/** A screen has settled when nothing was printed for this long. */
export const SCREEN_SETTLED_MS = 300;

/** Bytes of a recording read by hand; a worker's whole log is no more. */
export const RECORDING_MAX_BYTES = 64 * MIB;

/** The bytes of a worker: what is typed to it, what its log keeps, and how output reaches its readers. */
import { KIB, MIB, SECOND } from './units.ts';

/** Bytes of one keyboard input. */
export const INPUT_MAX_BYTES = 256 * KIB;
/** Input ids that the runner remembers per worker. */
export const INPUT_IDS_KEPT = 1_000;

/** Output log kept per worker; the oldest segment goes first. */
export const LOG_CAP_BYTES = 64 * MIB;
/** One segment file of an output log. */
export const LOG_SEGMENT_BYTES = 8 * MIB;
/** Files of output logs that the server keeps open for viewers that are behind, ... */
export const LOG_FILES_OPEN = 32;
/** ... until nobody has read them for this long. */
export const LOG_FILES_OPEN_MS = 1 * SECOND;
/** Bytes of one `read_session_output` where the agent does not say: as JSON they fit into TOOL_RESULT_BYTES. */
export const OUTPUT_TOOL_BYTES = 7 * KIB;
/** Bytes of one answer with output where the caller does not say. */
export const OUTPUT_DEFAULT_BYTES = 32 * KIB;
/** Bytes of one answer with output at most. */
export const OUTPUT_MAX_BYTES = 256 * KIB;

/** Unacknowledged bytes on the way to one reader of a stream. */
export const STREAM_WINDOW_BYTES = 1 * MIB;
/** Stored output read for a viewer that is behind: one read of the log, one message, and more than one batch of the runner. */
export const STREAM_BLOCK_BYTES = 128 * KIB;
/** A viewer that lags this far and is silent gets a fresh snapshot. */
export const VIEWER_LAG_BYTES = 8 * MIB;
/** ... and has not acknowledged anything for this long. */
export const VIEWER_SILENT_MS = 2 * SECOND;
/** Resizes remembered per watched worker, for viewers that are behind; older ones only matter to old lines. */
export const RESIZES_KEPT = 1_000;

/** The bytes of a worker: its input, its output log, and the streams of its readers. */
import { KIB, MIB, SECOND } from './units.ts';

/** Bytes of one keyboard input. */
export const INPUT_MAX_BYTES = 256 * KIB;
/** Input ids that the runner remembers for each worker. */
export const INPUT_IDS_KEPT = 1_000;

/** Output log retained for each worker; the oldest segment is removed first. */
export const LOG_CAP_BYTES = 64 * MIB;
/** One segment file of an output log. */
export const LOG_SEGMENT_BYTES = 8 * MIB;
/** Files of output logs that the server keeps open for viewers that lag. */
export const LOG_FILES_OPEN = 32;
/** An open file of an output log is closed when nobody has read it for this long. */
export const LOG_FILES_OPEN_MS = 1 * SECOND;
/** Default bytes of one `read_session_output` for an agent: as JSON they fit into TOOL_RESULT_BYTES. */
export const OUTPUT_TOOL_BYTES = 7 * KIB;
/** Default bytes of one answer with output. */
export const OUTPUT_DEFAULT_BYTES = 32 * KIB;
/** Maximum bytes of one answer with output. */
export const OUTPUT_MAX_BYTES = 256 * KIB;

/** Unacknowledged bytes on the way to one reader of a stream. */
export const STREAM_WINDOW_BYTES = 1 * MIB;
/**
 * Stored output read at once for a viewer that lags: one read of the log, one message, and more than one batch of the
 * runner.
 */
export const STREAM_BLOCK_BYTES = 128 * KIB;
/** A silent viewer that lags this far gets a new snapshot. */
export const VIEWER_LAG_BYTES = 8 * MIB;
/** A viewer is silent when it has acknowledged nothing for this long. */
export const VIEWER_SILENT_MS = 2 * SECOND;
/** Resizes retained for each watched worker, for viewers that lag; older ones only matter to old lines. */
export const RESIZES_KEPT = 1_000;

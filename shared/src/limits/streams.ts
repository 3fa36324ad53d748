/** Limits for a worker's byte streams: its input, its output log, and its readers. */
import { KIB, MIB, SECOND } from './units.ts';

/** Maximum bytes of one keyboard input, and of one response to a request that an agent sends over ACP. */
export const INPUT_MAX_BYTES = 256 * KIB;
/**
 * Maximum input ids that the runner remembers for each worker, so that an input that is sent again is typed only once.
 */
export const INPUT_IDS_KEPT = 1_000;

/** Maximum size of the output log of one worker. If it grows larger, the oldest segment file is removed. */
export const LOG_CAP_BYTES = 64 * MIB;
/** Size of one segment file of an output log. */
export const LOG_SEGMENT_BYTES = 8 * MIB;
/** Maximum files of output logs that stay open for viewers that are behind the live output. */
export const LOG_FILES_OPEN = 32;
/** Time without a read after which an open file of an output log is closed. */
export const LOG_FILES_OPEN_MS = 1 * SECOND;
/** Default bytes of output that `read_session_output` returns to an agent. As JSON, they fit into TOOL_RESULT_BYTES. */
export const OUTPUT_TOOL_BYTES = 7 * KIB;
/** Default bytes of output in one response. */
export const OUTPUT_DEFAULT_BYTES = 32 * KIB;
/** Maximum bytes of output in one response. */
export const OUTPUT_MAX_BYTES = 256 * KIB;

/** Maximum unacknowledged bytes sent to one reader of a stream. */
export const STREAM_WINDOW_BYTES = 1 * MIB;
/**
 * Bytes of stored output that are read and sent at once to a viewer that is behind. A pooled message buffer has room
 * for as many bytes. A batch of live output (RUNNER_BATCH_BYTES) must not be larger.
 */
export const STREAM_BLOCK_BYTES = 128 * KIB;
/**
 * Number of bytes by which a silent viewer may be behind the output. A viewer that is further behind receives a new
 * snapshot of the screen instead of the missed output.
 */
export const VIEWER_LAG_BYTES = 8 * MIB;
/** Time without an acknowledgement after which a viewer counts as silent. */
export const VIEWER_SILENT_MS = 2 * SECOND;
/**
 * Maximum resizes of each watched worker that are remembered for viewers that are behind the live output. Older resizes
 * affect only how old lines wrap.
 */
export const RESIZES_KEPT = 1_000;

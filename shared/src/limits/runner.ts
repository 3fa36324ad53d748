import { KIB, MIB, SECOND } from './units.ts';

/**
 * Number of buffered bytes at which the runner writes a batch of output to the log and sends it to readers. Smaller
 * batches would need more writes, whose overhead exceeds the cost of copying the bytes.
 */
export const RUNNER_BATCH_BYTES = 64 * KIB;
/**
 * Maximum time by which output is delayed to form batches. Only the output of a process that prints a flood is delayed.
 */
export const RUNNER_BATCH_MS = 2;
/**
 * Size of the read buffer for a process that prints a flood: two batches, so that the runner reads one while it sends
 * the other.
 */
export const RUNNER_SLAB_BYTES = 128 * KIB;
/** Size of the read buffer for a quiet process: about one kernel read. */
export const RUNNER_SLAB_SMALL_BYTES = 4 * KIB;
/** Maximum number of large read buffers kept for reuse. */
export const RUNNER_SLABS_KEPT = 16;
/**
 * Maximum bytes of one input of a process. The largest input is a prompt over ACP: one line that contains the prompt's
 * images as base64 (4/3 of PROMPT_IMAGES_MAX_BYTES).
 */
export const RUNNER_INPUT_MAX_BYTES = 11 * MIB;
/**
 * Maximum payload of a runner's frame. It must hold all environment variables of a process, or the longest input with
 * its id.
 */
export const RUNNER_FRAME_MAX_BYTES = 12 * MIB;
/** Number of buffered bytes in a connection above which further output is not buffered, but sent later from the log. */
export const RUNNER_CONNECTION_HIGH_BYTES = 1 * MIB;
/**
 * Number of buffered bytes at which a connection is closed, because its client sends requests without reading
 * responses.
 */
export const RUNNER_CONNECTION_MAX_BYTES = 8 * MIB;
/** Maximum connections to one runner: a server, the commands of a busy user, and some that are closing. */
export const RUNNER_CONNECTIONS_MAX = 64;
/**
 * Maximum bytes of input that wait for a process that does not read its input. Further input is refused with BUSY. A
 * longer input is accepted if no other input waits.
 */
export const RUNNER_INPUT_QUEUE_BYTES = 1 * MIB;
/**
 * Maximum output that is read from a terminal after its process has ended, because a child of the process may continue
 * to print forever. In measurements, at most 23 kB remained to be read.
 */
export const RUNNER_DRAIN_MAX_BYTES = 1 * MIB;
/** Maximum ended processes that a runner remembers until the server has acknowledged their end. */
export const RUNNER_ENDED_KEPT = 1_000;
/**
 * Maximum size changes of one terminal that a runner remembers. A reader of older output needs the size that the
 * terminal had at that output.
 */
export const RUNNER_RESIZES_KEPT = 1_000;
/**
 * Interval between attempts to write to a log that cannot be written, for example because the disk is full. The logged
 * process waits meanwhile.
 */
export const RUNNER_LOG_RETRY_MS = 200;
/** Time after which a runner exits if it has no processes, no server and no connections. */
export const RUNNER_IDLE_MS = 60 * SECOND;
/** Interval at which a runner checks that its data directory and socket still exist, and rotates large log files. */
export const RUNNER_CHECK_MS = 3 * SECOND;
/** Time after which a started runner that does not answer counts as failed. */
export const RUNNER_START_MS = 10 * SECOND;
/** Maximum time that a stopping runner waits for its server and processes to end before it exits. */
export const RUNNER_STOP_MS = 20 * SECOND;
/** Timeout of a request to the runner. */
export const RUNNER_REQUEST_MS = 30 * SECOND;

/** Time within which a server must be ready after its start. A slower server counts as failed. */
export const SERVER_READY_MS = 60 * SECOND;
/** Time after which a server that was asked to stop is killed. */
export const SERVER_STOP_MS = 10 * SECOND;
/** A server that has run for at least this time before it crashes is restarted without a pause. */
export const SERVER_STABLE_MS = 5 * SECOND;
/** First pause before a server that keeps crashing is restarted. The pause doubles with each crash. */
export const SERVER_BACKOFF_MIN_MS = 100;
/** Longest pause before a server that keeps crashing is restarted. */
export const SERVER_BACKOFF_MAX_MS = 10 * SECOND;
/**
 * Longest pause before restarting a server that was ready when it crashed. It is short, because such a server answers
 * some requests before each crash.
 */
export const SERVER_BACKOFF_READY_MAX_MS = 500;
/** Time for which the event loop of a ready server must be blocked before the server is replaced. */
export const SERVER_HANG_MS = 10 * SECOND;
/**
 * Consecutive missed health checks after which the runner considers a server hung; together they take SERVER_HANG_MS.
 */
export const SERVER_CHECKS_MISSED_MAX = 3;

/** Size at which `runner.log` and `server.log` are copied to `.1` and truncated. */
export const PROCESS_LOG_MAX_BYTES = 4 * MIB;
/** Size at which `stderr.log` of a process without a terminal is renamed to `.1` and started anew. */
export const STDERR_LOG_MAX_BYTES = 1 * MIB;

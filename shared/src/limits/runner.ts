/** The runner, its connections, and the server it supervises. */
import { KIB, MIB, SECOND } from './units.ts';

/** Maximum output in one log write and one frame. In smaller batches, the overhead exceeds the cost of the bytes. */
export const RUNNER_BATCH_BYTES = 64 * KIB;
/** Output of a process that floods is delayed by at most this time to form batches. Other output is not delayed. */
export const RUNNER_BATCH_MS = 2;
/** Read buffer for a flooding process: two batches, so that one fills while the other is sent. */
export const RUNNER_SLAB_BYTES = 128 * KIB;
/** Read buffer for a quiet process: about one kernel read. */
export const RUNNER_SLAB_SMALL_BYTES = 4 * KIB;
/** Large read buffers retained for reuse. */
export const RUNNER_SLABS_KEPT = 16;
/** Maximum payload of a runner's frame: a whole environment, or the longest input with its envelope. */
export const RUNNER_FRAME_MAX_BYTES = 2 * MIB;
/** Once this many bytes are buffered in a connection, the rest of the output is sent later, from the log. */
export const RUNNER_CONNECTION_HIGH_BYTES = 1 * MIB;
/** A connection that sends requests without reading answers is closed at this many buffered bytes. */
export const RUNNER_CONNECTION_MAX_BYTES = 8 * MIB;
/** Maximum connections to one runner: a server, the commands of a busy user, and some that are closing. */
export const RUNNER_CONNECTIONS_MAX = 64;
/** Maximum input queued for a process that does not read it; further input is refused with BUSY. */
export const RUNNER_INPUT_QUEUE_BYTES = 1 * MIB;
/** Maximum output read after a process ended, because a surviving child may print forever. Measured need: 23 kB. */
export const RUNNER_DRAIN_MAX_BYTES = 1 * MIB;
/** Ended processes that a runner remembers until the server has acknowledged their end. */
export const RUNNER_ENDED_KEPT = 1_000;
/** Size changes of one terminal retained for readers that lag. */
export const RUNNER_RESIZES_KEPT = 1_000;
/** Retry interval for a log that cannot be written (disk full); its process is paused meanwhile. */
export const RUNNER_LOG_RETRY_MS = 200;
/** A runner that has no processes, no server and no connections exits after this time. */
export const RUNNER_IDLE_MS = 60 * SECOND;
/** Interval at which a runner checks that its data directory and socket still exist, and rotates large log files. */
export const RUNNER_CHECK_MS = 3 * SECOND;
/** A runner that does not answer within this time after its start counts as failed. */
export const RUNNER_START_MS = 10 * SECOND;
/** A runner asked to stop waits this long for its server and processes to end, then exits. */
export const RUNNER_STOP_MS = 20 * SECOND;
/** Timeout of a request to the runner. */
export const RUNNER_REQUEST_MS = 30 * SECOND;

/** A server that is not ready within this time counts as failed. */
export const SERVER_READY_MS = 60 * SECOND;
/** A server that was asked to stop is killed after this time. */
export const SERVER_STOP_MS = 10 * SECOND;
/** A server that ran this long before it crashed is restarted without a pause. */
export const SERVER_STABLE_MS = 5 * SECOND;
/** First pause before a server that keeps crashing is restarted; it doubles with each crash. */
export const SERVER_BACKOFF_MIN_MS = 100;
/** Longest pause before a restart. */
export const SERVER_BACKOFF_MAX_MS = 10 * SECOND;
/**
 * Longest pause before restarting a server that was ready when it crashed. It is short, because such a server answers
 * some requests before each crash.
 */
export const SERVER_BACKOFF_READY_MAX_MS = 500;
/** A ready server whose event loop is blocked for this long is replaced. */
export const SERVER_HANG_MS = 10 * SECOND;
/** Consecutive missed health checks after which a server counts as hung; together they take SERVER_HANG_MS. */
export const SERVER_CHECKS_MISSED_MAX = 3;

/** `runner.log` and `server.log` are rotated to `.1` at this size. */
export const PROCESS_LOG_MAX_BYTES = 4 * MIB;
/** `stderr.log` of a process without a terminal is rotated to `.1` at this size. */
export const STDERR_LOG_MAX_BYTES = 1 * MIB;

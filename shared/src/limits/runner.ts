/** The runner, its connections, and the server that it supervises. */
import { KIB, MIB, SECOND } from './units.ts';

/** Output gathered into one log write and one frame: below it, writes and frames cost more than the bytes. */
export const RUNNER_BATCH_BYTES = 64 * KIB;
/** Longest delay of a batch of a flooding process; a quiet one has none. */
export const RUNNER_BATCH_MS = 2;
/** Read buffer of a flooding process: two batches, so that one fills while the other is sent. */
export const RUNNER_SLAB_BYTES = 128 * KIB;
/** Read buffer of a quiet process: about one kernel read. */
export const RUNNER_SLAB_SMALL_BYTES = 4 * KIB;
/** Large read buffers retained for reuse. */
export const RUNNER_SLABS_KEPT = 16;
/** Payload of one frame between runner and server: a whole environment, or the longest input with its envelope. */
export const RUNNER_FRAME_MAX_BYTES = 2 * MIB;
/** Bytes waiting in one connection before its readers are served from the log instead. */
export const RUNNER_CONNECTION_HIGH_BYTES = 1 * MIB;
/** A connection that requests without reading answers is closed at this many waiting bytes. */
export const RUNNER_CONNECTION_MAX_BYTES = 8 * MIB;
/** Connections to one runner: a server, the commands of a busy user, and some that are closing. */
export const RUNNER_CONNECTIONS_MAX = 64;
/** Input waiting for a process that does not read it; more is refused with BUSY. */
export const RUNNER_INPUT_QUEUE_BYTES = 1 * MIB;
/**
 * Output still in the kernel that is read when a process ends (measured: 23 kB); a surviving child may write forever.
 */
export const RUNNER_DRAIN_MAX_BYTES = 1 * MIB;
/** Ended processes that a runner remembers until they are acknowledged. */
export const RUNNER_ENDED_KEPT = 1_000;
/** Size changes of one terminal retained for readers that lag. */
export const RUNNER_RESIZES_KEPT = 1_000;
/** Retry interval of a log that cannot be written (disk full); its process waits. */
export const RUNNER_LOG_RETRY_MS = 200;
/** A runner without process, server and connection ends after this time. */
export const RUNNER_IDLE_MS = 60 * SECOND;
/** Interval at which a runner checks that its data directory exists, and the size of its log files. */
export const RUNNER_CHECK_MS = 3 * SECOND;
/** A runner that does not answer within this time after its start has failed. */
export const RUNNER_START_MS = 10 * SECOND;
/** A runner that was args to end waits this long for processes (args, then killed) and server, then exits. */
export const RUNNER_STOP_MS = 20 * SECOND;
/** Timeout of a request to the runner. */
export const RUNNER_REQUEST_MS = 30 * SECOND;

/** A server that is not ready within this time has failed to start. */
export const SERVER_READY_MS = 60 * SECOND;
/** A server that was args to stop is killed after this time. */
export const SERVER_STOP_MS = 10 * SECOND;
/** A server that lived this long restarts at once after a crash. */
export const SERVER_STABLE_MS = 5 * SECOND;
/** First pause before the restart of a server that crashed earlier; it doubles with each crash. */
export const SERVER_BACKOFF_MIN_MS = 100;
/** Longest pause before a restart. */
export const SERVER_BACKOFF_MAX_MS = 10 * SECOND;
/** Longest pause where the server was ready each time: with a start of a second, it is back within two. */
export const SERVER_BACKOFF_READY_MAX_MS = 500;
/** A ready server whose event loop does not turn for this time is replaced. */
export const SERVER_HANG_MS = 10 * SECOND;
/** Consecutive checks without an answer that make up SERVER_HANG_MS. */
export const SERVER_CHECKS_MISSED_MAX = 3;

/** `runner.log` and `server.log` are rotated to `.1` at this size. */
export const PROCESS_LOG_MAX_BYTES = 4 * MIB;
/** `stderr.log` of a piped process is rotated to `.1` at this size. */
export const STDERR_LOG_MAX_BYTES = 1 * MIB;

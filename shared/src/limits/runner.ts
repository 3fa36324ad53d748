/** The runner, its connections, and the server that it keeps alive. */
import { KIB, MIB, SECOND } from './units.ts';

/** Output gathered into one log write and one frame: below it, writes and frames cost more than the bytes. */
export const RUNNER_BATCH_BYTES = 64 * KIB;
/** A flooding process delays its batches by this much at most, a quiet one not at all. */
export const RUNNER_BATCH_MS = 2;
/** Read buffer of a flooding process: two batches, so that one is filled while the other travels. */
export const RUNNER_SLAB_BYTES = 128 * KIB;
/** Read buffer of a quiet process: about one kernel read. */
export const RUNNER_SLAB_SMALL_BYTES = 4 * KIB;
/** Large read buffers kept for reuse. */
export const RUNNER_SLABS_KEPT = 16;
/** Payload of one frame between runner and server: a whole environment, or the longest input with its envelope. */
export const RUNNER_FRAME_MAX_BYTES = 2 * MIB;
/** Bytes waiting in one connection before its readers are fed from the log instead. */
export const RUNNER_CONNECTION_HIGH_BYTES = 1 * MIB;
/** A connection that asks without reading answers is closed at this many waiting bytes. */
export const RUNNER_CONNECTION_MAX_BYTES = 8 * MIB;
/** Connections to one runner: a server, the commands of a busy user, and some on their way out. */
export const RUNNER_CONNECTIONS_MAX = 64;
/** Input waiting for a process that does not read it; more is refused with BUSY. */
export const RUNNER_INPUT_QUEUE_BYTES = 1 * MIB;
/** Output still in the kernel that is fetched when a process ends (measured: 23 kB); a child left behind may add for ever. */
export const RUNNER_DRAIN_MAX_BYTES = 1 * MIB;
/** Ended processes a runner remembers until they are forgotten. */
export const RUNNER_ENDED_KEPT = 1_000;
/** Size changes of one terminal kept for readers that lag. */
export const RUNNER_RESIZES_KEPT = 1_000;
/** A log that cannot be written (disk full) is tried again after this time; its process waits. */
export const RUNNER_LOG_RETRY_MS = 200;
/** A runner without process, server and connection ends after this time. */
export const RUNNER_IDLE_MS = 60 * SECOND;
/** How often a runner looks whether its data directory is still there, and how long its log files are. */
export const RUNNER_WATCH_MS = 3 * SECOND;
/** A runner that does not answer within this time after its start has failed. */
export const RUNNER_START_MS = 10 * SECOND;
/** A runner that was asked to end waits this long for processes (asked, then forced) and server, then goes. */
export const RUNNER_STOP_MS = 20 * SECOND;
/** A request to the runner without an answer fails after this time. */
export const RUNNER_REQUEST_MS = 30 * SECOND;

/** A server that is not ready within this time has failed to start. */
export const SERVER_READY_MS = 60 * SECOND;
/** A server that was asked to stop is forced after this time. */
export const SERVER_STOP_MS = 10 * SECOND;
/** A server that lived this long is started again at once after a crash ... */
export const SERVER_STEADY_MS = 5 * SECOND;
/** ... an earlier crash waits this long, doubling with each further one ... */
export const SERVER_BACKOFF_MIN_MS = 100;
/** ... up to this, */
export const SERVER_BACKOFF_MAX_MS = 10 * SECOND;
/** or up to this where it was ready each time: with a start of a second, it is back within two. */
export const SERVER_BACKOFF_READY_MAX_MS = 500;
/** A ready server whose event loop does not turn for this time is replaced, ... */
export const SERVER_HANG_MS = 10 * SECOND;
/** ... which is found out by this many checks without an answer, in a row. */
export const SERVER_CHECKS_MISSED_MAX = 3;

/** `runner.log` and `server.log` are put aside as `.1` at this size. */
export const PROCESS_LOG_MAX_BYTES = 4 * MIB;
/** `stderr.log` of a piped process is put aside as `.1` at this size. */
export const STDERR_LOG_MAX_BYTES = 1 * MIB;

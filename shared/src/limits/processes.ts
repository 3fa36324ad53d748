import { KIB, SECOND } from './units.ts';

/** Time after which a process that was asked to end is killed. */
export const END_GRACE_MS = 5 * SECOND;

/**
 * Maximum time that a call waits for a process to start. If the process is slower, the call returns, and the process
 * starts later.
 */
export const START_WAIT_MS = 10 * SECOND;
/**
 * Maximum time that a call waits for a process to end. It must exceed END_GRACE_MS, after which the process is killed.
 */
export const END_WAIT_MS = 20 * SECOND;
/**
 * Maximum time that a call waits until its input is accepted. A process that has not read earlier input accepts input
 * late.
 */
export const INPUT_WAIT_MS = 40 * SECOND;
/** Time after which a runner that does not answer is reported as unresponsive. */
export const RUNNER_RESPONSE_MS = 2 * SECOND;

/** Minimum time for which a measurement of the processes' CPU and memory use is reused. */
export const RESOURCES_FRESH_MS = 3 * SECOND;
/**
 * Minimum pause between measurements, as a multiple of the last measurement's duration, so that they use at most 1% of
 * a core.
 */
export const RESOURCES_PAUSE_FACTOR = 100;
/** Pause between the two measurements needed for the first CPU value: 50 ticks of the kernel's CPU time clock. */
export const RESOURCES_INTERVAL_MS = 500;
/**
 * Maximum age of the previous measurement from which CPU usage is computed. An average over a longer time would not
 * show the current usage.
 */
export const RESOURCES_INTERVAL_MAX_MS = 30 * SECOND;
/** Maximum processes covered by one measurement. On a machine with more processes, there is no result. */
export const RESOURCES_PROCESSES_MAX = 20_000;
/**
 * Number of processes whose resource use is read between two turns of the event loop. Reading the resource use of so
 * many processes takes about a millisecond.
 */
export const RESOURCES_SLICE = 40;
/** Maximum bytes of a process's environment that are searched for the id of its worker. */
export const RESOURCES_ENVIRONMENT_MAX_BYTES = 64 * KIB;
/**
 * Maximum characters of a failed agent's last output in the error of its task. The last output usually explains the
 * failure.
 */
export const EXIT_SHOWN_CHARS = 600;

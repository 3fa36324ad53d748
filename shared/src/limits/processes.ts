/** Processes: how they end, and how their resource use is measured. */
import { KIB, SECOND } from './units.ts';

/** A process that was args to end is killed after this time. */
export const END_GRACE_MS = 5 * SECOND;

/** A call waits this long for a process to start; a slower one starts after the call returned. */
export const START_WAIT_MS = 10 * SECOND;
/** A call waits this long for a process to end: END_GRACE_MS, the time after SIGKILL, and the round trip. */
export const END_WAIT_MS = 20 * SECOND;
/** A call waits this long for its input to be accepted, which a process that does not read delays. */
export const INPUT_WAIT_MS = 40 * SECOND;
/** A runner that does not answer within this time is reported as unresponsive. */
export const RUNNER_RESPONSE_MS = 2 * SECOND;

/** Resource use is measured at most this often; a measurement reads a file of every process. */
export const RESOURCES_FRESH_MS = 3 * SECOND;
/**
 * The pause between two measurements grows to this many times the duration of the last one, so that they cost at most
 * 1% of a core.
 */
export const RESOURCES_PAUSE_FACTOR = 100;
/** Interval between the two measurements of a first CPU value: 50 ticks of the clock that counts CPU time. */
export const RESOURCES_INTERVAL_MS = 500;
/** CPU time since an older measurement would be the average of another period, and is not shown. */
export const RESOURCES_INTERVAL_MAX_MS = 30 * SECOND;
/** Processes read by one measurement; a machine with more has no result. */
export const RESOURCES_PROCESSES_MAX = 20_000;
/** Processes read between two turns of the event loop: about a millisecond. */
export const RESOURCES_SLICE = 40;
/** Bytes of a process's environment searched for the id of its worker. */
export const RESOURCES_ENVIRONMENT_MAX_BYTES = 64 * KIB;
/** Characters of the last screen of a failed agent in the error of its task: they say why. */
export const EXIT_SHOWN_CHARS = 600;

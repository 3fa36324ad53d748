/** Processes: how they end, and how their resource use is measured. */
import { KIB, SECOND } from './units.ts';

/** A process that was asked to end is killed after this time. */
export const END_GRACE_MS = 5 * SECOND;

/** A call waits this long for a process to start; a slower process starts after the call has returned. */
export const START_WAIT_MS = 10 * SECOND;
/** A call waits this long for a process to end. It must exceed END_GRACE_MS, after which the process is killed. */
export const END_WAIT_MS = 20 * SECOND;
/** A call waits this long for its input to be accepted; a process that does not read its input delays it. */
export const INPUT_WAIT_MS = 40 * SECOND;
/** A runner that does not answer within this time is reported as unresponsive. */
export const RUNNER_RESPONSE_MS = 2 * SECOND;

/** Minimum interval between measurements of resource use, because each reads a file of every process. */
export const RESOURCES_FRESH_MS = 3 * SECOND;
/**
 * Minimum pause between measurements, as a multiple of the last one's duration, so that they use 1% of a core at most.
 */
export const RESOURCES_PAUSE_FACTOR = 100;
/** Pause between the two measurements needed for the first CPU value: 50 ticks of the kernel's CPU time clock. */
export const RESOURCES_INTERVAL_MS = 500;
/** Maximum age of the previous measurement. CPU usage since an older one would be an average over too long a period. */
export const RESOURCES_INTERVAL_MAX_MS = 30 * SECOND;
/** Maximum processes read by one measurement. On a machine with more processes, there is no result. */
export const RESOURCES_PROCESSES_MAX = 20_000;
/** Processes read between two turns of the event loop: about a millisecond. */
export const RESOURCES_SLICE = 40;
/** Bytes of a process's environment that are searched for the id of the worker it belongs to. */
export const RESOURCES_ENVIRONMENT_MAX_BYTES = 64 * KIB;
/** Characters of a failed agent's last screen that its task's error includes to explain the failure. */
export const EXIT_SHOWN_CHARS = 600;

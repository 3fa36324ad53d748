/** Processes of this machine: how they are ended, and how what they take of it is measured. */
import { KIB, SECOND } from './units.ts';

/** A process that was asked to end is forced after this time. */
export const END_GRACE_MS = 5 * SECOND;

/** A call waits this long for a process to start; one that takes longer starts behind the call. */
export const START_WAIT_MS = 10 * SECOND;
/** A call waits this long for a process to end: END_GRACE_MS, the time after SIGKILL, and the way there and back. */
export const END_WAIT_MS = 20 * SECOND;
/** A call waits this long until its input was taken, which a process that does not read delays. */
export const INPUT_WAIT_MS = 40 * SECOND;
/** A runner that does not answer a question within this time is called unresponsive. */
export const RUNNER_RESPONSE_MS = 2 * SECOND;

/** What workers take of the machine is measured at most this often; a look reads a file of every process. */
export const RESOURCES_FRESH_MS = 3 * SECOND;
/** ... and the pause grows to this many times what the last look took, so that looking costs at most 1% of a core. */
export const RESOURCES_PAUSE_FACTOR = 100;
/** Between the two looks that a first answer about CPU time needs: 50 ticks of the clock it is counted in. */
export const RESOURCES_INTERVAL_MS = 500;
/** CPU time since a look further back than this is the average of another time, and not shown. */
export const RESOURCES_INTERVAL_MAX_MS = 30 * SECOND;
/** Processes of which a look reads; on a machine with more, nothing is said. */
export const RESOURCES_PROCESSES_MAX = 20_000;
/** Processes read between two turns of the event loop: about a millisecond. */
export const RESOURCES_SLICE = 40;
/** Bytes of a process's environment that are searched for the worker it belongs to. */
export const RESOURCES_ENVIRONMENT_MAX_BYTES = 64 * KIB;
/** Characters of the screen of an agent that gave up, in the error of its task: its last words say why. */
export const EXIT_SHOWN_CHARS = 600;

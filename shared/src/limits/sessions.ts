/** Sessions and their work: counts, depth, queues, and when an idle session is paused. */
import { MINUTE, SECOND } from './units.ts';

/** Default maximum of live sessions. */
export const LIVE_SESSIONS_DEFAULT = 50;
/** Default maximum delegation depth below a root session (root 0, child 1, grandchild 2). */
export const DELEGATION_DEPTH_DEFAULT = 2;
/** Default maximum number of a session's children with unfinished tasks. */
export const DELEGATION_CHILDREN_DEFAULT = 5;
/** Time within which the worktree of a delegation must be ready. After that, the delegation fails and is undone. */
export const DELEGATION_LIMIT_MS = 120 * SECOND;
/** Maximum queued prompts of one session. */
export const QUEUED_TASKS_MAX = 100;

/** Maximum characters of a notice's summary as typed to an agent; longer summaries would fill its context window. */
export const NOTICE_SUMMARY_MAX_CHARS = 2_000;
/** Maximum notices typed as one block; the next turn delivers the rest. */
export const NOTICES_PER_TURN = 20;
/**
 * Maximum pending notices of one session. At the limit, its children cannot message it until notices were delivered.
 */
export const PENDING_NOTICES_MAX = 1_000;

/** Default idle time after which a delegated agent that has not reported its result is reminded once. */
export const REMINDER_AFTER_MS = 60 * SECOND;
/** Default idle time after which a delegated session whose work ended is paused. */
export const IDLE_PAUSE_AFTER_MS = 30 * MINUTE;
/** Longest interval between two sweeps for idle sessions. A shorter idle pause setting shortens the interval. */
export const IDLE_SWEEP_MS = 1 * MINUTE;
/** Shortest interval between two sweeps for idle sessions. */
export const IDLE_SWEEP_MIN_MS = 250;

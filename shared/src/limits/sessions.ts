/** Sessions and their work: how many, how deep, queues, and when an idle session is paused. */
import { MINUTE, SECOND } from './units.ts';

/** Default maximum of live sessions. */
export const LIVE_SESSIONS_DEFAULT = 50;
/** Default maximum depth of delegation below a root session (root 0, child 1, grandchild 2). */
export const DELEGATION_DEPTH_DEFAULT = 2;
/** Default maximum of children of one session whose task has not ended. */
export const DELEGATION_CHILDREN_DEFAULT = 5;
/** A delegated worktree that is not ready within this time is undone. */
export const DELEGATION_LIMIT_MS = 120 * SECOND;
/** Queued prompts of one session. */
export const QUEUED_TASKS_MAX = 100;

/** Characters of a notice's summary as typed to an agent; more would crowd its context. */
export const NOTICE_SUMMARY_MAX_CHARS = 2_000;
/** Notices typed as one block; the next turn delivers the rest. */
export const NOTICES_PER_TURN = 20;
/** Pending notices of one session; beyond, a child sends no more until its parent has received some. */
export const PENDING_NOTICES_MAX = 1_000;

/** Default idle time after which a delegated agent without a report is reminded once. */
export const REMINDER_AFTER_MS = 60 * SECOND;
/** Default idle time after which a delegated session whose work ended is paused. */
export const IDLE_PAUSE_AFTER_MS = 30 * MINUTE;
/** Longest interval between two sweeps for idle sessions; a shorter setting shortens it. */
export const IDLE_SWEEP_MS = 1 * MINUTE;
/** Shortest interval between two sweeps for idle sessions. */
export const IDLE_SWEEP_MIN_MS = 250;

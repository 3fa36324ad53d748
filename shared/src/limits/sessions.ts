import { DAY, MINUTE, SECOND } from './units.ts';

/** Default maximum of live sessions. */
export const LIVE_SESSIONS_DEFAULT = 50;
/**
 * Interval at which a session that waits because of the limit of live sessions checks the limit again. Most ends of
 * sessions are noticed at once; this covers the others, such as a start that failed.
 */
export const LIVE_LIMIT_POLL_MS = 10 * SECOND;
/** Default maximum delegation depth below a root session (root 0, child 1, grandchild 2). */
export const DELEGATION_DEPTH_DEFAULT = 2;
/** Default maximum number of a session's child sessions with an open task. */
export const DELEGATION_CHILDREN_DEFAULT = 5;
/**
 * Time within which the worktree of a delegation must be ready. After that, the delegation fails and is undone. If
 * another server continues the delegation, the time starts again.
 */
export const DELEGATION_LIMIT_MS = 120 * SECOND;
/** Maximum queued prompts of one session. */
export const QUEUED_TASKS_MAX = 100;

/**
 * Maximum characters of a summary in a notice that is typed to an agent. Longer summaries would fill the agent's
 * context window.
 */
export const NOTICE_SUMMARY_MAX_CHARS = 2_000;
/** Maximum notices typed as one block. Further notices wait for the next turn. */
export const NOTICES_PER_TURN = 20;
/**
 * Maximum pending notices of one session. At the limit, other sessions cannot send messages to it until some notices
 * have been delivered.
 */
export const PENDING_NOTICES_MAX = 1_000;

/**
 * Default time for which a delegated agent must be idle without reporting its result before it is reminded. There is
 * one reminder.
 */
export const REMINDER_AFTER_MS = 60 * SECOND;
/**
 * Default time for which an agent must be idle after its work before the console pauses its session and ends the agent.
 * Applies to delegated sessions, and to sessions marked completed or failed.
 */
export const IDLE_PAUSE_AFTER_MS = 30 * MINUTE;
/**
 * Longest interval between two sweeps for idle sessions. If sessions are paused after a shorter idle time, that time is
 * the interval.
 */
export const IDLE_SWEEP_MS = 1 * MINUTE;
/** Shortest interval between two sweeps for idle sessions. */
export const IDLE_SWEEP_MIN_MS = 250;

/**
 * Longest time for which a task waits until the limit of a subscription is reset. The longest known period is a week.
 */
export const QUOTA_WAIT_MAX_MS = 8 * DAY;
/**
 * Pause between the reset of a usage limit and the continuation of the task, because agents round the time of the
 * reset.
 */
export const QUOTA_MARGIN_MS = MINUTE;

/** Sessions and the work given to them: how many, how deep, what waits, and when an idle one rests. */
import { MINUTE, SECOND } from './units.ts';

/** Live sessions in all. */
export const LIVE_SESSIONS_DEFAULT = 50;
/** Delegation below a root session (root 0, child 1, grandchild 2). */
export const DELEGATION_DEPTH_DEFAULT = 2;
/** Children of one session whose task has not ended. */
export const DELEGATION_CHILDREN_DEFAULT = 5;
/** A delegated worktree must be ready within this time, else it is undone. */
export const DELEGATION_LIMIT_MS = 120 * SECOND;
/** Prompts waiting in one session. */
export const QUEUED_TASKS_MAX = 100;

/** Characters of a notice's summary as typed to an agent; more would crowd out its own context. */
export const NOTICE_SUMMARY_MAX_CHARS = 2_000;
/** Notices typed as one block; the rest follows with the next turn. */
export const NOTICES_PER_TURN = 20;
/** Notices waiting for one session; beyond it a child says no more until its parent has read some. */
export const PENDING_NOTICES_MAX = 1_000;

/** A delegated agent idle this long without a report is reminded once. */
export const REMINDER_AFTER_MS = 60 * SECOND;
/** A delegated session whose work ended is paused after this much idling. */
export const IDLE_PAUSE_AFTER_MS = 30 * MINUTE;
/** Between two looks for idle sessions, at most; shorter where the setting is. */
export const IDLE_LOOK_MS = 1 * MINUTE;
/** Between two looks for idle sessions, at least, however short the setting is. */
export const IDLE_LOOK_MIN_MS = 250;

/** Questions of agents, and the answers typed to them. */
import { SECOND } from './units.ts';

/**
 * Whoever waits for an agent is notified of its question by then, even if the question could not be read: ten settled
 * screens.
 */
export const QUESTION_READ_MS = 3 * SECOND;
/**
 * An agent that still asks the same question this long after its answer was typed did not accept it, and is shown as
 * asking again.
 */
export const ANSWER_ACCEPTED_MS = 5 * SECOND;
/** Probes of the screen for a question before its answer is typed: one probe may fall into a repaint. */
export const ANSWER_PROBES_MAX = 4;
/** Interval of these probes. */
export const ANSWER_PROBE_MS = 150;

/** Characters of a question. A screen has fewer; an agent's report may contain a whole file. */
export const APPROVAL_TEXT_MAX_CHARS = 4_000;
/** Characters of a question in events and notices, which are skimmed. */
export const APPROVAL_CUT_CHARS = 500;
/** Answers of one question; no dialog shows as many on one screen. */
export const APPROVAL_OPTIONS_MAX = 30;
/** Characters of one answer. */
export const APPROVAL_LABEL_MAX_CHARS = 300;

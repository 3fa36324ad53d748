/** Questions of agents, and the answers typed to them. */
import { SECOND } from './units.ts';

/** Whoever waits for an agent is told that it asks by then, also where nobody could read what: ten settled screens. */
export const QUESTION_READ_MS = 3 * SECOND;
/** An agent that still asks the same so long after its answer was typed did not take it, and is shown as asking again. */
export const ANSWER_TAKEN_MS = 5 * SECOND;
/** Looks for a question before its answer is typed: one may fall into a repaint. */
export const ANSWER_LOOKS_MAX = 4;
/** Between two of them. */
export const ANSWER_LOOK_EACH_MS = 150;

/** Characters of a question; a screen holds less, an agent's report of it may bring a whole file. */
export const APPROVAL_TEXT_MAX_CHARS = 4_000;
/** Characters of a question in events and notices, which are read at a glance. */
export const APPROVAL_CUT_CHARS = 500;
/** Answers of one question; no dialog shows as many on one screen. */
export const APPROVAL_OPTIONS_MAX = 30;
/** Characters of one answer. */
export const APPROVAL_LABEL_MAX_CHARS = 300;

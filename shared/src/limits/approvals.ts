import { SECOND } from './units.ts';

/** Time after which a question is stored and reported even if its text could not be read from the screen yet. */
export const QUESTION_READ_MS = 3 * SECOND;
/**
 * Maximum time for an agent to accept a typed answer. If the agent still asks after this time, the question is pending
 * again.
 */
export const ANSWER_ACCEPTED_MS = 5 * SECOND;
/**
 * Maximum number of times that the screen is read to find a question before its answer is typed, and to find a request
 * to confirm a denial afterwards. One read is not enough, because the agent may be repainting the screen during the
 * read.
 */
export const ANSWER_PROBES_MAX = 4;
/** Pause between two reads of the screen that check whether it still shows the question to answer. */
export const ANSWER_PROBE_MS = 150;

/** Maximum characters of a question. A screen has fewer, but an agent's hook may report a whole file. */
export const APPROVAL_TEXT_MAX_CHARS = 4_000;
/** Maximum characters of a question in events and notices, which people only skim. */
export const APPROVAL_CUT_CHARS = 500;
/**
 * Maximum fields of one form, and choices of one field. A form that exceeds a limit is refused, because nobody could
 * fill it in.
 */
export const FORM_FIELDS_MAX = 50;
export const FORM_CHOICES_MAX = 300;
/** Maximum characters of the id of a form's field, and of the value of a choice in such a field. */
export const FORM_NAME_MAX_CHARS = 200;
/** Maximum characters of a text that is entered into a form, such as a key or a certificate. */
export const FORM_TEXT_MAX_CHARS = 10_000;
/** Maximum characters of an address that an agent asks to open. Browsers do not reliably accept longer addresses. */
export const LINK_MAX_CHARS = 8_000;
/**
 * Time limit for checking a text with an agent's regular expression. A slower check is skipped, so that no form blocks
 * the server.
 */
export const FORM_PATTERN_MS = 100;
/** Maximum number of times that this check is made if it uses little CPU time within the limit. */
export const FORM_PATTERN_ATTEMPTS_MAX = 10;

/** Maximum answers that one question may offer; no dialog shows as many on one screen. */
export const APPROVAL_OPTIONS_MAX = 30;
/** Maximum characters of one answer that a question offers. */
export const APPROVAL_LABEL_MAX_CHARS = 300;

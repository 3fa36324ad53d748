/** The inbox, and the marks of users. */

/**
 * Maximum sessions or orchestrations that one call marks, so that marking everything that a dashboard lists can be
 * undone at once.
 */
export const MARKED_MAX = 5_000;
/** Maximum ids in an event about marks. An event about more marks contains no ids, and clients read all marks again. */
export const MARKED_EVENT_MAX = 500;
/** Maximum labels of a session. */
export const LABELS_MAX = 10;
/** Maximum characters of a label. */
export const LABEL_MAX_CHARS = 30;

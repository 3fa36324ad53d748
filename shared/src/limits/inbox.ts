/**
 * Maximum sessions or orchestrations that one call marks as read or unread. The limit equals the number of sessions
 * that a dashboard lists, so that one call can mark all of them.
 */
export const MARKED_MAX = 5_000;
/**
 * Maximum ids in an event about read marks and pins. If more marks or pins change, the event contains no ids, and
 * clients read all marks and pins again.
 */
export const MARKED_EVENT_MAX = 500;
/** Maximum labels of a session. */
export const LABELS_MAX = 10;
export const LABEL_MAX_CHARS = 30;

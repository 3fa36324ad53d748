/** Records that the database keeps: events and the audit. */
import { MINUTE } from './units.ts';

/** Events kept: this many ... */
export const EVENTS_KEPT = 1_000_000;
/** ... or this old, whichever is less. */
export const EVENTS_KEPT_MS = 30 * 24 * 60 * MINUTE;
/** Rows of the audit kept, at some 200 bytes each; none is older than events are. */
export const AUDIT_KEPT = 1_000_000;

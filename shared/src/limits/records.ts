/** Retention of events and audit entries. */
import { MINUTE } from './units.ts';

/** Events retained: at most this many, none older than EVENTS_KEPT_MS. */
export const EVENTS_KEPT = 1_000_000;
/** Age up to which events are retained. */
export const EVENTS_KEPT_MS = 30 * 24 * 60 * MINUTE;
/** Audit entries retained, at some 200 bytes each; none is older than the events. */
export const AUDIT_KEPT = 1_000_000;

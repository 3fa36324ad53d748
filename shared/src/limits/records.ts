/** Retention of events and audit entries. */
import { MINUTE } from './units.ts';

/** Maximum events retained; none is older than EVENTS_KEPT_MS. */
export const EVENTS_KEPT = 1_000_000;
/** Events older than this are removed. */
export const EVENTS_KEPT_MS = 30 * 24 * 60 * MINUTE;
/** Maximum audit entries retained, at some 200 bytes each; none is older than EVENTS_KEPT_MS. */
export const AUDIT_KEPT = 1_000_000;

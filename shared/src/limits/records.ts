import { MINUTE } from './units.ts';

/**
 * Number of the newest events that are retained. Older events are removed, as are events older than EVENTS_KEPT_MS.
 * Events of orchestrations that are still in the database are always retained.
 */
export const EVENTS_KEPT = 1_000_000;
/**
 * Age after which events and audit entries are removed. Events of orchestrations that are still in the database are not
 * removed.
 */
export const EVENTS_KEPT_MS = 30 * 24 * 60 * MINUTE;
/**
 * Age after which ended integrations, checks and their jobs are removed. Longer than INTEGRATION_UNDO_MS, so that no
 * integration is removed while it can be undone.
 */
export const CHANGES_KEPT_MS = 90 * 24 * 60 * MINUTE;
/**
 * Maximum number of retained audit entries, at some 200 bytes each. Entries older than EVENTS_KEPT_MS are removed even
 * if there are fewer.
 */
export const AUDIT_KEPT = 1_000_000;

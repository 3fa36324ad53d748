import * as v from 'valibot';

/** A moment as ISO 8601 in UTC with milliseconds, e.g. `2026-11-21T22:30:00.000Z`. */
export const Timestamp = v.pipe(v.string(), v.isoTimestamp());

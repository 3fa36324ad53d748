import * as v from 'valibot';

/** A moment as ISO 8601 in UTC with milliseconds, e.g. `2026-11-21T22:30:00.000Z`. */
export const Timestamp = v.pipe(v.string(), v.isoTimestamp());

/** A moment as a caller writes it, also with an offset from UTC; it is read as a Timestamp, so that moments compare as texts. */
export const Moment = v.pipe(
  Timestamp,
  v.check((moment) => !Number.isNaN(Date.parse(moment)), 'no such moment; write 2026-11-21T22:30:00.000Z'),
  v.transform((moment) => new Date(moment).toISOString()),
);

import * as v from 'valibot';

/** An ISO 8601 timestamp in UTC with milliseconds, such as `2026-11-21T22:30:00.000Z`. */
export const Timestamp = v.pipe(v.string(), v.isoTimestamp());

/** A timestamp in an input. It is converted to UTC, so that timestamps can be compared as strings. */
export const Moment = v.pipe(
  Timestamp,
  v.check(
    (moment) => !Number.isNaN(Date.parse(moment)),
    'is not a valid time; use a format such as 2026-11-21T22:30:00.000Z',
  ),
  v.transform((moment) => new Date(moment).toISOString()),
);

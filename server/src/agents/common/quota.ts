/** Helpers that read, from the error that ended a turn, the time at which the limit of a subscription is reset. */

/**
 * Matches errors about the limit of a subscription. In other errors, a time has another meaning, such as the time of
 * the next attempt.
 */
const LIMIT = /\b(?:usage|session|weekly|5-hour|Opus|Sonnet|\w+ usage) limit\b|\blimit reached\b/i;
const EPOCH = /\|(\d{10})\b/;
const ISO = /\bresets? at (\d{4}-\d\d-\d\dT[\d:.]+Z)/i;
/**
 * Matches, for example, `resets 3pm (Europe/Berlin)`, `resets Oct 5, 3:30pm (UTC)`, `Try again at 3:05 PM.` and `again
 * at Oct 5th, 2026 3:05 PM`.
 */
const CLOCK =
  /\b(?:resets|reset|again)(?: at)? (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th)?(?:, (\d{4}))?(?:,| at)? )?(\d{1,2})(?::(\d\d))? ?([ap])m\b(?: \(([A-Za-z]+(?:\/[A-Za-z_+-]+)*)\))?/i;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Returns the time at which the limit of a subscription is reset, as ISO 8601; null if the error contains no such time.
 * @param at time of the error. A time without a date means its next occurrence after `at`; a time without a zone is
 * local.
 */
export function readQuotaReset(message: string | null, at: Date): string | null {
  if (message === null || !LIMIT.test(message)) return null;
  const [, epoch] = EPOCH.exec(message) ?? [];
  const [, iso] = ISO.exec(message) ?? [];
  const time = epoch !== undefined ? Number(epoch) * 1_000 : iso !== undefined ? Date.parse(iso) : clockIn(message, at);
  return time === null || Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Converts seconds since the epoch, as agents report them, to ISO 8601. Returns null for anything else. */
export function resetOfEpoch(seconds: unknown): string | null {
  const isTime = typeof seconds === 'number' && seconds > 1e9 && seconds < 1e10;
  return isTime ? new Date(seconds * 1_000).toISOString() : null;
}

function clockIn(message: string, at: Date): number | null {
  const [, name, day, year, hour, minute, amOrPm, zone] = CLOCK.exec(message) ?? [];
  if (hour === undefined || amOrPm === undefined) return null;
  const month = name === undefined ? -1 : MONTHS.indexOf(name);
  if (name !== undefined && month === -1) return null;
  const hours = (Number(hour) % 12) + (amOrPm.toLowerCase() === 'p' ? 12 : 0);
  const local = inZone(at.getTime(), zone);
  const localDate = new Date(local);
  const wall = (from: Date) =>
    Date.UTC(
      year === undefined ? from.getUTCFullYear() : Number(year),
      name === undefined ? from.getUTCMonth() : month,
      day === undefined ? from.getUTCDate() : Number(day),
      hours,
      Number(minute ?? 0),
    );
  const found = fromZone(wall(localDate), zone);
  if (found >= at.getTime() - MINUTE_MS || year !== undefined) return found;
  // A time that has already passed belongs to the next day or, if it has a date without a year, to the next year.
  if (name === undefined) return fromZone(wall(new Date(local + DAY_MS)), zone);
  return fromZone(Date.UTC(localDate.getUTCFullYear() + 1, month, Number(day), hours, Number(minute ?? 0)), zone);
}

/**
 * Returns the wall clock time in a zone, encoded as the UTC timestamp with the same date and time. An unknown zone is
 * treated as the local zone.
 */
function inZone(time: number, zone: string | undefined): number {
  const format = (timeZone: string | undefined) =>
    new Intl.DateTimeFormat('en-US', {
      ...(timeZone === undefined ? {} : { timeZone }),
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(time);
  let parts: Intl.DateTimeFormatPart[];
  try {
    parts = format(zone);
  } catch {
    parts = format(undefined);
  }
  const value = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(value('year'), value('month') - 1, value('day'), value('hour'), value('minute'), value('second'));
}

/** Returns the time at which clocks in a zone show `wall`, which is encoded as in the result of `inZone`. */
function fromZone(wall: number, zone: string | undefined): number {
  const guess = wall - (inZone(wall, zone) - wall);
  return wall - (inZone(guess, zone) - guess);
}

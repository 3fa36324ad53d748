const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats elapsed time in the largest fitting unit: `now`, `12 s`, `3 m`, `2 h`, `4 d`. */
export function formatAge(since: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1_000));
  if (seconds < 5) return 'now';
  if (seconds < MINUTE) return `${seconds - (seconds % 5)} s`;
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} m`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h`;
  return `${Math.floor(seconds / DAY)} d`;
}

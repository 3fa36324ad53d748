/** Formats the time of day, such as `14:03:07`. */
export function formatClock(moment: string): string {
  return new Date(moment).toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
}

/** Formats the day for a list: `Today`, `Yesterday`, or its date. */
export function formatDay(moment: string, now: number = Date.now()): string {
  const day = new Date(moment);
  const daysAgo = Math.round((startOfDay(new Date(now)) - startOfDay(day)) / 86_400_000);
  if (daysAgo === 0) return 'Today';
  if (daysAgo === 1) return 'Yesterday';
  return day.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
}

function startOfDay(day: Date): number {
  return new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime();
}

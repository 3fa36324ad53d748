import type { OrchestrationAgent } from '@agent-console/shared/models/orchestration';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a duration in its two largest units: `42 s`, `3 m 10 s`, `2 h 5 m`, `4 d 1 h`. */
export function formatDuration(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return pair(ms, MINUTE, 'm', SECOND, 's');
  return ms < DAY ? pair(ms, HOUR, 'h', MINUTE, 'm') : pair(ms, DAY, 'd', HOUR, 'h');
}

function pair(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`;
}

/** Returns the time from the first start of an agent to its end, or until now; undefined before its start. */
export function elapsedMs(
  { startedAt, completedAt }: Pick<OrchestrationAgent, 'startedAt' | 'completedAt'>,
  now: number,
): number | undefined {
  if (startedAt === null) return undefined;
  return Math.max(0, (completedAt === null ? now : Date.parse(completedAt)) - Date.parse(startedAt));
}

/** Formats a number of tokens: `950`, `12.3k`, `1.2M`. */
export function formatTokens(count: number): string {
  if (count < 1_000) return String(count);
  const [value, unit] = count < 999_500 ? [count / 1_000, 'k'] : [count / 1_000_000, 'M'];
  return `${value < 99.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`;
}

import { formatAge } from './format-age.ts';

/** Formats a past time for a sentence: `just now`, `12 s ago`. */
export function formatTimeAgo(time: string, now?: number): string {
  const age = formatAge(time, now);
  return age === 'now' ? 'just now' : `${age} ago`;
}

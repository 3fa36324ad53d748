import { expect, it } from 'vitest';
import { formatTimeAgo } from '../../src/ui/format-time-ago.ts';

const NOW = Date.parse('2026-03-01T10:00:00.000Z');

it.each([
  [0, 'just now'],
  [12, '10 s ago'],
  [3 * 60 * 60, '3 h ago'],
])('%i seconds ago is %s', (seconds, text) => {
  expect(formatTimeAgo(new Date(NOW - seconds * 1_000).toISOString(), NOW)).toBe(text);
});

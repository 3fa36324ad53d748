import { TEXT_MAX_CHARS } from '@agent-console/shared/limits/texts';

/** The fields of a JSON object; null for everything else. */
export function fields(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** A text worth keeping, cut to the length of a description; null for everything else. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, TEXT_MAX_CHARS) : null;
}

import { TEXT_MAX_CHARS } from '@agent-console/shared/limits/texts';

/**
 * Functions that read values from JSON that agents wrote. A value of an unexpected type counts as absent and is never
 * an error.
 */

export type Fields = Record<string, unknown>;

/** Parses JSON; undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the fields of an object; null for every other value. */
export function fieldsOrNull(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** Returns the fields of an object; no fields for every other value. */
export function asFields(value: unknown): Fields {
  return fieldsOrNull(value) ?? {};
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the value if it is a non-empty string; otherwise null. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Returns the value, cut to TEXT_MAX_CHARS, if it is a non-empty string; otherwise null. */
export function asShortText(value: unknown): string | null {
  return asText(value)?.slice(0, TEXT_MAX_CHARS) ?? null;
}

/** Returns the value if it is a positive number, otherwise 0. */
export function asCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** Converts milliseconds since the epoch or a date string to ISO 8601. Returns null for any other value. */
export function asTimestamp(value: unknown): string | null {
  const date = typeof value === 'number' || typeof value === 'string' ? new Date(value) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

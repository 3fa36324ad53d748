import { TEXT_MAX_CHARS } from '@agent-console/shared/limits/texts';

/** Reads values out of JSON that agents wrote: a value of another type is absent, never an error. */

export type Fields = Record<string, unknown>;

/** The parsed text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The fields of an object; null for every other value. */
export function fieldsOrNull(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** The fields of an object; none for every other value. */
export function asFields(value: unknown): Fields {
  return fieldsOrNull(value) ?? {};
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A non-empty string, else null. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A non-empty string, cut to TEXT_MAX_CHARS, else null. */
export function asShortText(value: unknown): string | null {
  return asText(value)?.slice(0, TEXT_MAX_CHARS) ?? null;
}

/** A positive number of tokens, else 0. */
export function asCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

/** ISO 8601 from milliseconds or a date string, else null. */
export function asTimestamp(value: unknown): string | null {
  const date = typeof value === 'number' || typeof value === 'string' ? new Date(value) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? null : date.toISOString();
}

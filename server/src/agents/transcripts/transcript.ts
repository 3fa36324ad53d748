import type { TranscriptReading, TurnEnd } from '../../ports/transcripts.ts';

export type { TranscriptMessage, TranscriptReading, TurnEnd } from '../../ports/transcripts.ts';

export const NOTHING_SAID: TranscriptReading = { messages: [], usage: [] };

export const ANSWERED: TurnEnd = { how: 'answered', error: null };
export const INTERRUPTED: TurnEnd = { how: 'interrupted', error: null };
export const WAS_COMMAND: TurnEnd = { how: 'command', error: null };

export type Fields = Record<string, unknown>;

export function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A count of tokens; everything else counts nothing. */
export function asCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

export function asMoment(value: unknown): string | null {
  const moment = typeof value === 'number' || typeof value === 'string' ? new Date(value) : undefined;
  return moment === undefined || Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

export function toolCallText(name: string, input: unknown): string {
  return `${name}(${typeof input === 'string' ? input : JSON.stringify(input ?? {})})`;
}

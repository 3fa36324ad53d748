/** One thing said or done in a conversation, as the agent itself keeps it. */
export interface TranscriptMessage {
  /** The agent's own id of it: a later one with the same id says it anew. */
  nativeId: string;
  role: 'user' | 'agent';
  kind: 'text' | 'thought' | 'toolCall';
  /** Of a tool call: its name and, in brackets, its input as JSON. */
  text: string;
  /** ISO 8601, or null where it is not told. */
  at: string | null;
}

/** Tokens of one answer of the model; what came out of a cache is not counted as input again. */
export interface TranscriptUsage {
  /** The agent's id of the answer: a later one with the same id replaces it. */
  nativeId: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  /** US dollars as the agent reckons them, or null. */
  costUsd: number | null;
}

/** What a part of a transcript says; nothing for what is not understood. */
export interface TranscriptReading {
  messages: TranscriptMessage[];
  usage: TranscriptUsage[];
}

export const NOTHING_SAID: TranscriptReading = { messages: [], usage: [] };

export type TotalUsage = Omit<TranscriptUsage, 'nativeId'>;

/** The sum of what was used, each answer counted once however often it was told. */
export function sumUsage(told: Iterable<TranscriptUsage>): TotalUsage {
  const last = new Map<string, TranscriptUsage>();
  for (const usage of told) last.set(usage.nativeId, usage);
  const total: TotalUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, costUsd: null };
  for (const usage of last.values()) {
    total.inputTokens += usage.inputTokens;
    total.outputTokens += usage.outputTokens;
    total.cacheReadTokens += usage.cacheReadTokens;
    if (usage.costUsd !== null) total.costUsd = (total.costUsd ?? 0) + usage.costUsd;
  }
  return total;
}

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

import type { AgentKindName } from '@agent-console/shared/models/agent';
import type { TurnEnd } from '../domain/turns.ts';

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
  /** A user's command to the program itself, as it was typed. It stands for an input, and is no part of the conversation. */
  command?: true;
}

export type { TurnEnd } from '../domain/turns.ts';

/** Tokens of one answer of the model; what came out of a cache is not counted as input again. */
export interface TranscriptUsage {
  /** The agent's id of the answer: a later one with the same id replaces it. */
  nativeId: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  /** US dollars as the agent reckons them, or null. */
  costUsd: number | null;
  /** Not one answer's but all that were used so far. */
  runningTotal?: true;
}

/** What a part of a transcript says; nothing for what is not understood. */
export interface TranscriptReading {
  messages: TranscriptMessage[];
  usage: TranscriptUsage[];
  /** Where the turn of the newest prompt ends with this part. */
  turnEnd?: TurnEnd;
}

/** How far a transcript was read; only its reader knows what it means. An empty one is its beginning. */
export type TranscriptPosition = Readonly<Record<string, unknown>>;

export interface TranscriptPage {
  /** In the order in which it was said. */
  readings: TranscriptReading[];
  place: TranscriptPosition;
  /** There is more behind the place already. */
  more: boolean;
}

/** Conversations as the agents keep them, read on from where the last reading ended. */
export interface Transcripts {
  /**
   * What was said behind `place`, at most a bounded part of it; null where the agent keeps nothing, or nothing yet. What
   * was rewritten is told again, with the ids it had.
   */
  read(kind: AgentKindName, nativeId: string, place: TranscriptPosition): Promise<TranscriptPage | null>;
}

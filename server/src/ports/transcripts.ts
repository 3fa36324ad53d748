import type { AgentKindName } from '@agent-console/shared/models/agent';
import type { TurnEnd } from '../domain/turns.ts';

/** A message or tool call of a conversation, as the agent records it. */
export interface TranscriptMessage {
  /** The agent's own id; a later message with the same id replaces this one. */
  nativeId: string;
  role: 'user' | 'agent';
  kind: 'text' | 'thought' | 'toolCall';
  /** Of a tool call: its name, then its input as JSON in brackets. */
  text: string;
  /** ISO 8601, or null where it is not recorded. */
  at: string | null;
  /** A user's command to the program itself, as typed: it matches an input, but is no part of the conversation. */
  command?: true;
}

export type { TurnEnd } from '../domain/turns.ts';

/** Tokens of one answer of the model. Input read from a cache is counted only there. */
export interface TranscriptUsage {
  /** The agent's id of the answer; later usage with the same id replaces this one. */
  nativeId: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  /** US dollars as the agent calculates them, or null. */
  costUsd: number | null;
  /** A total of all answers so far, not the usage of one. */
  runningTotal?: true;
}

/** What one line or row of a transcript holds; empty when it is not understood. */
export interface TranscriptReading {
  messages: TranscriptMessage[];
  usage: TranscriptUsage[];
  /** Set when the turn of the newest prompt ends here. */
  turnEnd?: TurnEnd;
}

/** How far a transcript was read, opaque to all but its reader. `{}` is the beginning. */
export type TranscriptPosition = Readonly<Record<string, unknown>>;

export interface TranscriptPage {
  /** Oldest first. */
  readings: TranscriptReading[];
  position: TranscriptPosition;
  /** More is recorded behind the position already. */
  more: boolean;
}

/** Reads conversations as the agents record them, incrementally. */
export interface Transcripts {
  /**
   * The part behind `position`, of bounded size; null when nothing is recorded yet. Rewritten messages and usage are
   * returned again under the ids they had.
   */
  read(kind: AgentKindName, nativeId: string, position: TranscriptPosition): Promise<TranscriptPage | null>;
}

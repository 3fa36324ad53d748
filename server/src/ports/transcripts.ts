import type { AgentKindName } from '@agent-console/shared/models/agent';
import type { TurnEnd } from '../domain/turns.ts';

/** A message or tool call of a conversation, as the agent records it. */
export interface TranscriptMessage {
  /** The agent's own id of the message. A later message with the same id replaces this message. */
  nativeId: string;
  role: 'user' | 'agent';
  kind: 'text' | 'thought' | 'toolCall';
  /** For a tool call: `name(input)`, with the input as JSON. */
  text: string;
  /** Time of the message in ISO 8601, or null if the agent did not record it. */
  at: string | null;
  /**
   * Set for a command such as `/clear`, which the agent's own program runs. The message is only used to recognize the
   * typed input; it is not part of the conversation.
   */
  command?: true;
}

export type { TurnEnd } from '../domain/turns.ts';

/** Tokens of one model response. Input read from a cache counts only as `cacheReadTokens`. */
export interface TranscriptUsage {
  /** The agent's id of the response. Later usage with the same id replaces this usage. */
  nativeId: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  /** Cost in US dollars, as calculated by the agent, or null. */
  costUsd: number | null;
  /** Set if this usage is the sum over all responses of the conversation so far. */
  runningTotal?: true;
}

/** The content of one line or row of a transcript; empty if the line or row contains nothing that the console needs. */
export interface TranscriptReading {
  messages: TranscriptMessage[];
  usage: TranscriptUsage[];
  /** The end of the turn of the newest prompt, if this line or row records it. */
  turnEnd?: TurnEnd;
}

/**
 * Position up to which a transcript was read. Only the reader that created the position interprets its fields. `{}` is
 * the beginning.
 */
export type TranscriptPosition = Readonly<Record<string, unknown>>;

export interface TranscriptPage {
  /** Content of the lines or rows after the requested position, oldest first. */
  readings: TranscriptReading[];
  position: TranscriptPosition;
  /** Whether the transcript already contains further lines or rows after `position`. */
  more: boolean;
}

/** Reads conversations as the agents record them, incrementally. */
export interface Transcripts {
  /**
   * Returns the part of a conversation after `position`; null if nothing is recorded yet. Messages and usage that the
   * agent rewrote are returned again, under the same ids.
   */
  read(kind: AgentKindName, nativeId: string, position: TranscriptPosition): Promise<TranscriptPage | null>;
}

/** Conversations: messages, how far they are taken in, and tokens, as stored. Columns are explained in storage/schema/messages.ts. */

export interface MessageRow {
  id: string;
  sessionId: string;
  taskId: string | null;
  seq: number;
  role: 'user' | 'agent' | 'system';
  kind: 'text' | 'thought' | 'toolCall' | 'plan' | 'permission' | 'notice' | 'usage';
  parts: Record<string, unknown>[];
  source: 'acp' | 'transcript' | 'hook' | 'screen' | 'console';
  logOffset: number | null;
  nativeId: string | null;
  createdAt: string;
}

export interface TranscriptRow {
  sessionId: string;
  nativeId: string;
  place: Record<string, unknown>;
  updatedAt: string;
}

export interface UsageRow {
  id: string;
  sessionId: string;
  taskId: string | null;
  nativeId: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  costUsd: number | null;
  createdAt: string;
}

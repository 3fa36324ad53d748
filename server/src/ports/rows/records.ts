import type { EventType, SubjectKind } from '@agent-console/shared/models/event';

/** What happened, and what was called, as stored. Columns are explained in storage/schema/records.ts. */

export interface EventRow {
  seq: number;
  at: string;
  type: EventType;
  subjectKind: SubjectKind;
  subjectId: string;
  sessionId: string | null;
  actor: string;
  viaSessionId: string | null;
  data: Record<string, unknown>;
}

export interface AuditRow {
  id: string;
  at: string;
  actor: string;
  sessionId: string | null;
  /** The person who called, or whose session did; null for the console itself. */
  userId: string | null;
  surface: string;
  operation: string;
  /** `ok` or the error code. */
  result: string;
  milliseconds: number;
}

export interface IdempotencyRow {
  caller: string;
  operation: string;
  key: string;
  bodySha256: string;
  output: Record<string, unknown>;
  delivered: boolean | null;
  createdAt: string;
}

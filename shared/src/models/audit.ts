import * as v from 'valibot';
import { Timestamp } from '../time.ts';

/** One call that was written down: who called what, on whose behalf, how it went; never what was given or answered. */
export const AuditEntry = v.object({
  id: v.string(),
  at: Timestamp,
  /** `user:<id>` or `session:<id>`. */
  actor: v.string(),
  /** The session that called; null for people. */
  sessionId: v.nullable(v.string()),
  /** The person who called, or whose session did. */
  userId: v.nullable(v.string()),
  surface: v.string(),
  /** An operation's name, or `tools/call` and the like for what is none. */
  operation: v.string(),
  /** `ok` or the code of the error. */
  outcome: v.string(),
  milliseconds: v.number(),
});
export type AuditEntry = v.InferOutput<typeof AuditEntry>;

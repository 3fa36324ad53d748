import * as v from 'valibot';
import { Timestamp } from '../time.ts';

/** One entry of a session's conversation. */
export const Message = v.object({
  id: v.string(),
  sessionId: v.string(),
  taskId: v.nullable(v.string()),
  seq: v.number(),
  role: v.picklist(['user', 'agent', 'system']),
  kind: v.picklist(['text', 'thought', 'toolCall', 'plan', 'permission', 'notice', 'usage']),
  parts: v.array(v.record(v.string(), v.unknown())),
  source: v.picklist(['acp', 'transcript', 'hook', 'screen', 'console']),
  logOffset: v.nullable(v.number()),
  createdAt: Timestamp,
});
export type Message = v.InferOutput<typeof Message>;

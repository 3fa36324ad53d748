import * as v from 'valibot';
import { Timestamp } from '../time.ts';

export const NoticeKind = v.picklist(['ended', 'waiting', 'message']);
export type NoticeKind = v.InferOutput<typeof NoticeKind>;

/**
 * Something the system must tell a session, kept until delivered.
 * `pending` → `delivering` (a notice task types it) → `delivered`; `stored` is never typed because the caller asked so;
 * `undeliverable` when the session it is for is gone.
 */
export const NoticeState = v.picklist(['pending', 'delivering', 'delivered', 'stored', 'undeliverable']);

export const Notice = v.object({
  id: v.string(),
  /** The session that is told. */
  sessionId: v.string(),
  kind: NoticeKind,
  /** What it is about. */
  about: v.object({
    sessionId: v.string(),
    taskId: v.nullable(v.string()),
    delegationId: v.nullable(v.string()),
    title: v.string(),
  }),
  status: v.nullable(v.string()),
  outcomeSource: v.nullable(v.string()),
  certain: v.nullable(v.boolean()),
  summary: v.string(),
  state: NoticeState,
  /** The notice task that carried it, or null. */
  taskId: v.nullable(v.string()),
  createdAt: Timestamp,
  deliveredAt: v.nullable(Timestamp),
});
export type Notice = v.InferOutput<typeof Notice>;

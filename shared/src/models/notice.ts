import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, nullableIdOf, ownId } from '../ids.ts';
import { Timestamp } from '../time.ts';

export const NoticeKind = v.picklist(['ended', 'waiting', 'message', 'conflict']);
export type NoticeKind = v.InferOutput<typeof NoticeKind>;

/**
 * `pending` → `delivering` (a notice task types the notice) → `delivered`. `stored`: the notice is not typed, because
 * `notifyOnCompletion` was false. `undeliverable`: the receiving session no longer exists.
 */
export const NoticeState = v.picklist(['pending', 'delivering', 'delivered', 'stored', 'undeliverable']);

export const Notice = v.object({
  id: ownId('Notice'),
  sessionId: idOf('session', 'Id of the session that receives the notice'),
  kind: described(
    NoticeKind,
    'ended: a task ended; waiting: a task waits for an answer; message: another session sent a message; conflict: the changes of two children began to conflict',
  ),
  about: described(
    v.object({
      sessionId: idOf('session', 'Id of the session that the notice is about'),
      taskId: nullableIdOf('task', 'Id of the task that the notice is about, or null'),
      delegationId: nullableIdOf(
        'delegation',
        'Id of the delegation that created the session that the notice is about, or null',
      ),
      orchestrationId: nullableIdOf(
        'orchestration',
        'Id of the orchestration that the notice is about, or null. If it is set, sessionId is the receiving session',
      ),
      title: described(v.string(), 'Title of the session, or objective of the orchestration'),
    }),
    'Session or orchestration that the notice is about',
  ),
  status: described(v.nullable(v.string()), 'Status of the task or orchestration that the notice is about, or null'),
  outcomeSource: described(v.nullable(v.string()), "Source of the task's outcome, or null"),
  certain: described(
    v.nullable(v.boolean()),
    'Whether the outcome is certain; false if it was inferred from the end of the turn; null without an outcome',
  ),
  summary: described(v.string(), "Text of the notice, such as the task's summary or the message"),
  state: described(
    NoticeState,
    'Delivery state; stored: not typed, because notifyOnCompletion was false; undeliverable: the receiving session no longer exists',
  ),
  taskId: nullableIdOf('task', 'Id of the task of kind notice that delivers this notice, or null'),
  createdAt: described(Timestamp, 'Creation time'),
  deliveredAt: described(v.nullable(Timestamp), 'Time when the agent accepted the notice, or null'),
});
export type Notice = v.InferOutput<typeof Notice>;

import * as v from 'valibot';
import { described } from '../describe.ts';
import { idOf, nullableIdOf } from '../ids.ts';
import { Timestamp } from '../time.ts';

export const InboxGroup = v.picklist(['answer', 'failed', 'finished']);
export type InboxGroup = v.InferOutput<typeof InboxGroup>;

/** The reason why a session or an orchestration is in the inbox. */
export const InboxKind = v.picklist(['asks', 'blocked', 'budget', 'failed', 'done']);
export type InboxKind = v.InferOutput<typeof InboxKind>;

/** One session or orchestration that needs a person, or whose outcome the person has not read. */
export const InboxItem = v.object({
  sessionId: nullableIdOf('session', 'Id of the session that the item is about; null if it is about an orchestration'),
  orchestrationId: nullableIdOf(
    'orchestration',
    'Id of the orchestration that the item is about; null if it is about a session',
  ),
  group: described(
    InboxGroup,
    'answer: waits for an answer or action by a person; failed and finished: outcomes that the caller has not read',
  ),
  kind: described(
    InboxKind,
    'asks: the agent asks a question; blocked: a prompt cannot be typed; budget: a budget is used up; failed and done: the work ended with this outcome',
  ),
  since: described(Timestamp, 'When the wait for a person began, or when the work ended'),
  title: described(
    v.string(),
    "Title of the session, otherwise its branch or directory; or first line of the orchestration's objective",
  ),
  text: described(v.string(), 'Question, reason for waiting, or outcome'),
  repositoryId: nullableIdOf('repository', 'Id of the repository of the session or orchestration, or null'),
  branch: described(v.nullable(v.string()), "Branch of the session's worktree, or null"),
  agentId: described(v.nullable(v.string()), 'Id of the agent definition of the session, or null'),
  taskId: nullableIdOf('task', 'Id of the task that ended or whose prompt is blocked, or null'),
  approvalId: nullableIdOf('approval', 'Id of the approval to answer with approvals.answer, or null'),
});
export type InboxItem = v.InferOutput<typeof InboxItem>;

/** Number of items in each group of the inbox. */
export const InboxCounts = v.object({
  answer: described(v.number(), 'Number of items that wait for a person'),
  failed: described(v.number(), 'Number of failures that the caller has not read'),
  finished: described(v.number(), 'Number of unread outcomes other than failures'),
});
export type InboxCounts = v.InferOutput<typeof InboxCounts>;

/**
 * The time up to which a user has read the outcomes of a session or orchestration, and the time when the user pinned
 * the session.
 */
export const Mark = v.object({
  sessionId: nullableIdOf('session', 'Id of the session, or null'),
  orchestrationId: nullableIdOf('orchestration', 'Id of the orchestration, or null'),
  readUntil: described(v.nullable(Timestamp), 'Time up to which outcomes were read; null if none were read'),
  pinnedAt: described(v.nullable(Timestamp), 'When the user pinned the session, or null'),
});
export type Mark = v.InferOutput<typeof Mark>;

/** Ids of the sessions and orchestrations whose read mark or pin a call changed. */
export const Marked = {
  sessionIds: described(v.array(idOf('session', 'Session id')), 'Ids of the sessions whose read mark or pin changed'),
  orchestrationIds: described(
    v.array(idOf('orchestration', 'Orchestration id')),
    'Ids of the orchestrations whose read mark changed',
  ),
};

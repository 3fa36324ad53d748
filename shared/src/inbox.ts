import type { Approval } from './models/approval.ts';
import type { InboxGroup, InboxItem } from './models/inbox.ts';
import type { Session } from './models/session.ts';
import { agentOf, badgeOf, isLive, isLost, type SessionBadge, sessionName } from './session-badge.ts';
import { containsWords } from './words.ts';

/** This file contains the rules of a person's inbox, which both the server and the dashboard apply. */

export const INBOX_GROUPS = ['answer', 'failed', 'finished'] as const satisfies readonly InboxGroup[];

/** The data from which the inbox item of a session is made, besides the session. */
export interface InboxContext {
  /** The pending question of the session, if there is one. */
  approval?: Pick<Approval, 'id' | 'kind' | 'text' | 'createdAt'> | undefined;
  /** Time up to which the person has read outcomes; null if the person has read none. */
  readUntil: string | null;
}

/**
 * Returns the group of the inbox that a session belongs to; undefined if it does not need a person and has no unread
 * outcome.
 */
export function inboxGroupOf(
  session: Session,
  { kind, unread }: Pick<SessionBadge, 'kind' | 'unread'>,
): InboxGroup | undefined {
  if (kind === 'needs') return 'answer';
  if (!unread) return undefined;
  if (kind === 'failed' || session.task?.status === 'failed' || isLost(session)) return 'failed';
  // A finished agent of an orchestration gets no inbox item, because only the end of the whole orchestration matters to
  // a person.
  return session.orchestrationId === null ? 'finished' : undefined;
}

/**
 * Returns the session's item in the inbox. Undefined if the session does not need a person and has no unread outcome.
 */
export function inboxItemOf(session: Session, { approval, readUntil }: InboxContext): InboxItem | undefined {
  const { held, overBudgetSince } = session;
  const badge = badgeOf(session, { readUntil });
  const { since } = badge;
  const group = inboxGroupOf(session, badge);
  const about = {
    sessionId: session.id,
    orchestrationId: null,
    title: sessionName(session),
    repositoryId: session.repositoryId,
    branch: session.gitState?.ref ?? null,
    agentId: session.agentId,
    taskId: session.task?.id ?? null,
    approvalId: null,
  };
  if (group === 'answer') {
    if (held != null && !asks(session)) {
      return { ...about, group, kind: 'blocked', since, text: held.reason, taskId: held.taskId };
    }
    const text = approval?.text ?? 'The agent asks a question';
    const reason = overBudgetSince === since && !asks(session) ? 'budget' : 'asks';
    return { ...about, group, kind: reason, since, text, approvalId: approval?.id ?? null };
  }
  const { task } = session;
  if (group === 'failed') {
    const text = task?.error?.message ?? task?.summary ?? 'Task failed';
    return { ...about, group, kind: 'failed', since, text };
  }
  return group && { ...about, group, kind: 'done', since, text: task?.summary ?? 'Task done' };
}

function asks(session: Session): boolean {
  const agent = agentOf(session);
  if (agent === undefined || !isLive(agent)) return false;
  return agent.activityState === 'asking' || session.task?.waitingFor === 'answer';
}

/**
 * Compares two items for sorting: items that wait for a person come first, the longest waiting first. Failures follow,
 * then other outcomes, both newest first.
 */
export function inboxOrder(one: InboxItem, other: InboxItem): number {
  if (one.group !== other.group) return INBOX_GROUPS.indexOf(one.group) - INBOX_GROUPS.indexOf(other.group);
  const isEarlier = one.since < other.since ? -1 : one.since > other.since ? 1 : 0;
  return one.group === 'answer' ? isEarlier : -isEarlier;
}

/** Whether each word of a filter occurs in the item. `repository` is the name of its repository. */
export function isInboxMatch(item: InboxItem, filter: string, repository = ''): boolean {
  const text = `${item.title}\n${item.text}\n${item.branch ?? ''}\n${item.agentId ?? ''}\n${repository}\n${item.kind}`;
  return containsWords(text, filter);
}

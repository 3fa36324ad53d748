import type { Approval } from './models/approval.ts';
import type { InboxGroup, InboxItem } from './models/inbox.ts';
import type { Session } from './models/session.ts';
import { agentOf, badgeOf, isLive, sessionName } from './session-badge.ts';

/**
 * Rules for what a person's inbox contains. The server and the dashboard apply the same rules to the data that they
 * have loaded.
 */

export const INBOX_GROUPS = ['answer', 'failed', 'finished'] as const satisfies readonly InboxGroup[];

/** Inputs of an inbox item besides the session. */
export interface InboxContext {
  /** The pending question of the session, if there is one. */
  approval?: Pick<Approval, 'id' | 'kind' | 'text' | 'createdAt'> | undefined;
  /** Time up to which the person has read outcomes; null if none was read. */
  readUntil: string | null;
}

/**
 * Returns the session's item in the inbox. Undefined if the session does not need a person and has no unread outcome.
 */
export function inboxItemOf(session: Session, { approval, readUntil }: InboxContext): InboxItem | undefined {
  const { held, overBudgetSince } = session;
  const { kind, unread, since } = badgeOf(session, { readUntil });
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
  if (kind === 'needs') {
    if (held != null && !asks(session)) {
      return { ...about, group: 'answer', kind: 'blocked', since, text: held.reason, taskId: held.taskId };
    }
    const text = approval?.text ?? 'The agent asks a question';
    const reason = overBudgetSince === since && !asks(session) ? 'budget' : 'asks';
    return { ...about, group: 'answer', kind: reason, since, text, approvalId: approval?.id ?? null };
  }
  if (!unread) return undefined;
  const { task } = session;
  if (kind === 'failed' || task?.status === 'failed') {
    return {
      ...about,
      group: 'failed',
      kind: 'failed',
      since,
      text: task?.error?.message ?? task?.summary ?? 'Task failed',
    };
  }
  // A finished agent of an orchestration gets no item, because only the end of the whole orchestration matters to a
  // person.
  if (session.orchestrationId !== null) return undefined;
  return { ...about, group: 'finished', kind: 'done', since, text: task?.summary ?? 'Task done' };
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
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${item.title}\n${item.text}\n${item.branch ?? ''}\n${item.agentId ?? ''}\n${repository}\n${item.kind}`;
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

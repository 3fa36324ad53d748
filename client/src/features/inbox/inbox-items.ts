import { inboxItemOf, inboxOrder } from '@agent-console/shared/inbox';
import type { InboxCounts, InboxItem } from '@agent-console/shared/models/inbox';
import type { Session } from '@agent-console/shared/models/session';
import type { BadgeContext } from '../sessions/badge.ts';
import { type SessionsState, useSessions } from '../sessions/sessions-store.ts';
import { type Marks, readUntilOf, useMarks } from './marks.ts';

export interface Inbox {
  items: readonly InboxItem[];
  counts: InboxCounts;
}

/** Returns the read mark that a session's badge depends on. */
export function badgeContextOf(id: Session['id'], marks: Pick<Marks, 'loaded' | 'readUntil'>): BadgeContext {
  return { readUntil: readUntilOf(marks, id) };
}

/**
 * Returns the number shown in the main navigation and in the browser tab: the number of questions and unread failures;
 * if there are none, the number of unread successes. The two numbers are not added, so that many successes do not hide
 * one question.
 */
export function shownCount({ answer, failed, finished }: InboxCounts): { count: number; isWaiting: boolean } {
  const waiting = answer + failed;
  return waiting > 0 ? { count: waiting, isWaiting: true } : { count: finished, isWaiting: false };
}

type Inputs = Pick<SessionsState, 'sessions'> & Marks;
let last: { inputs: Inputs; inbox: Inbox } | undefined;

/**
 * Returns the inbox for these inputs. The last result is cached, because several components need it at the same time.
 */
function inboxIn(inputs: Inputs): Inbox {
  const isSame = (name: keyof Inputs) => last?.inputs[name] === inputs[name];
  const names = ['sessions', 'loaded', 'readUntil', 'questions', 'runs'] as const;
  if (last !== undefined && names.every(isSame)) return last.inbox;
  const items: InboxItem[] = [...inputs.runs];
  for (const session of Object.values(inputs.sessions)) {
    const { id } = session;
    const known = { approval: inputs.questions[id], readUntil: readUntilOf(inputs, id) };
    const item = inboxItemOf(session, known);
    if (item !== undefined) items.push(item);
  }
  const counts: InboxCounts = { answer: 0, failed: 0, finished: 0 };
  for (const { group } of items) counts[group] += 1;
  const inbox = { items: items.sort(inboxOrder), counts };
  last = { inputs, inbox };
  return inbox;
}

/** Returns everything in the inbox, in display order, and the number of items in each group. */
export function useInbox(): Inbox {
  const sessions = useSessions((state) => state.sessions);
  const marks = useMarks();
  return inboxIn({ sessions, ...marks });
}

import { inboxItemOf, inboxOrder, isInboxMatch } from '@agent-console/shared/inbox';
import { inboxItemOfOrchestration } from '@agent-console/shared/inbox-orchestrations';
import { MARKED_EVENT_MAX } from '@agent-console/shared/limits/inbox';
import type { InboxCounts, InboxItem, Mark } from '@agent-console/shared/models/inbox';
import type { Call } from '../domain/call.ts';
import { sessionsHiddenFrom } from '../engine/access/hidden-sessions.ts';
import { authorOf } from '../engine/changes/author.ts';
import type { ApprovalRow, MarkRow } from '../ports/rows.ts';
import type { Transaction } from '../ports/storage.ts';
import type { Implementation, Implementations, OperationContext } from './operation.ts';
import { pageOf, slicePage } from './paging.ts';

/** Returns the user whose inbox and marks a call reads or changes. Calls by agents have already been rejected. */
function readerOf({ ownerId }: Pick<OperationContext, 'ownerId'>, { caller }: Call): string {
  return caller.kind === 'user' ? caller.userId : ownerId;
}

function markId(userId: string, subjectId: string): string {
  return `${userId} ${subjectId}`;
}

/** Returns everything in the user's inbox, in display order. */
async function inboxOf({ storage, views }: OperationContext, userId: string): Promise<InboxItem[]> {
  const { read } = storage;
  const marks = await read.marks.find({ userId });
  const readUntil = new Map(marks.map((mark) => [mark.subjectId, mark.readUntil]));
  const pending = await read.approvals.find({ state: 'pending' });
  const ofSessions = new Map(pending.filter((row) => row.orchestrationId === null).map((row) => [row.sessionId, row]));
  const ofOrchestrations = new Map(pending.map((row): [string | null, ApprovalRow] => [row.orchestrationId, row]));
  const items: (InboxItem | undefined)[] = [];
  const ids = await read.sessions.ids({ removedAt: null, archivedAt: null });
  for (const session of await views.sessions(ids)) {
    const { id } = session;
    const known = { approval: ofSessions.get(id), readUntil: readUntil.get(id) ?? null };
    items.push(inboxItemOf(session, known));
  }
  const states = ['paused', 'completed', 'failed'] as const;
  for (const row of await read.orchestrations.find({ state: [...states], archivedAt: null })) {
    const known = { approval: ofOrchestrations.get(row.id), readUntil: readUntil.get(row.id) ?? null };
    items.push(inboxItemOfOrchestration(row, known));
  }
  return items.filter((item) => item !== undefined).sort(inboxOrder);
}

function countsOf(items: readonly InboxItem[]): InboxCounts {
  const counts: InboxCounts = { answer: 0, failed: 0, finished: 0 };
  for (const { group } of items) counts[group] += 1;
  return counts;
}

function listInbox(context: OperationContext): Implementation<'inbox.list'> {
  return async ({ group, about, query, ...page }, call) => {
    const names = new Map((await context.storage.read.repositories.find({})).map(({ id, name }) => [id, name]));
    const found = (await inboxOf(context, readerOf(context, call)))
      .filter((item) => about === undefined || (about === 'session') === (item.sessionId !== null))
      .filter((item) => query === undefined || isInboxMatch(item, query, names.get(item.repositoryId ?? '')));
    const shown = group === undefined ? found : found.filter((item) => item.group === group);
    return { ...slicePage(shown, page), counts: countsOf(found) };
  };
}

interface Subjects {
  sessionIds: string[];
  orchestrationIds: string[];
}

function markInbox(context: OperationContext): Implementation<'inbox.mark'> {
  const { storage, now } = context;
  return async ({ group, all, read, until, ...named }, call) => {
    const userId = readerOf(context, call);
    const items = await visibleInbox(context, userId);
    const readUntil = read ? (until ?? now().toISOString()) : null;
    const chosen = all || group !== undefined ? unreadOf(items, group) : named;
    const changed = await storage.write(authorOf(call), async (tx) => {
      const sessionIds = await setMarks(tx, userId, 'session', chosen.sessionIds, readUntil);
      const orchestrationIds = await setMarks(tx, userId, 'orchestration', chosen.orchestrationIds, readUntil);
      const subjects = { sessionIds, orchestrationIds };
      const count = sessionIds.length + orchestrationIds.length;
      if (count > 0) {
        const data = { ...(count > MARKED_EVENT_MAX ? {} : subjects), readUntil };
        await tx.record({ type: 'user.marked', subject: { kind: 'user', id: userId }, data });
      }
      return subjects;
    });
    return { ...changed, counts: countsOf(await visibleInbox(context, userId)) };
  };
}

/**
 * Returns the user's inbox without the private sessions of others, and without orchestrations that such sessions
 * created. The local owner gets the whole inbox. The sessions are filtered out here, because an operation that changes
 * data reads all stores, including hidden sessions.
 */
async function visibleInbox(context: OperationContext, userId: string): Promise<InboxItem[]> {
  const items = await inboxOf(context, userId);
  if (userId === context.ownerId) return items;
  const { read } = context.storage;
  const orchestrationIds = items.flatMap(({ orchestrationId }) => orchestrationId ?? []);
  const creators = new Map(
    (await read.orchestrations.find({ id: orchestrationIds })).map((row) => [row.id, row.createdBySessionId]),
  );
  const sessionOf = ({ sessionId, orchestrationId }: InboxItem) =>
    sessionId ?? (orchestrationId === null ? null : (creators.get(orchestrationId) ?? null));
  const hidden = await sessionsHiddenFrom(read, userId)(items.flatMap((item) => sessionOf(item) ?? []));
  return items.filter((item) => !hidden.has(sessionOf(item) ?? ''));
}

function unreadOf(items: readonly InboxItem[], group: InboxItem['group'] | undefined): Subjects {
  const unread = items.filter((item) => item.group !== 'answer' && (group === undefined || item.group === group));
  return {
    sessionIds: unread.flatMap(({ sessionId }) => sessionId ?? []),
    orchestrationIds: unread.flatMap(({ orchestrationId }) => orchestrationId ?? []),
  };
}

/**
 * Stores the time up to which the user has read the outcomes of these subjects.
 * @returns the subjects whose time has changed
 */
async function setMarks(
  tx: Transaction,
  userId: string,
  subjectKind: MarkRow['subjectKind'],
  subjectIds: readonly string[],
  readUntil: string | null,
): Promise<string[]> {
  const changed: string[] = [];
  for (const subjectId of new Set(subjectIds)) {
    const id = markId(userId, subjectId);
    const row = await tx.marks.get(id);
    const before = row?.readUntil ?? null;
    // An earlier time than the stored one comes from a call that arrived late. It is ignored, because it would make an
    // outcome unread again.
    if (before === readUntil || (before !== null && readUntil !== null && before > readUntil)) continue;
    if (row === undefined) await tx.marks.insert({ id, userId, subjectKind, subjectId, readUntil });
    else await tx.marks.update(id, { readUntil });
    changed.push(subjectId);
  }
  return changed;
}

function pinSessions(context: OperationContext): Implementation<'sessions.pin'> {
  const { storage, now } = context;
  return ({ sessionIds, pinned }, call) =>
    storage.write(authorOf(call), async (tx) => {
      const userId = readerOf(context, call);
      const pinnedAt = pinned ? now().toISOString() : null;
      const changed: string[] = [];
      for (const subjectId of new Set(sessionIds)) {
        const id = markId(userId, subjectId);
        const row = await tx.marks.get(id);
        if (((row?.pinnedAt ?? null) !== null) === pinned) continue;
        if (row === undefined) await tx.marks.insert({ id, userId, subjectKind: 'session', subjectId, pinnedAt });
        else await tx.marks.update(id, { pinnedAt });
        changed.push(subjectId);
      }
      if (changed.length > 0) {
        const data = { ...(changed.length > MARKED_EVENT_MAX ? {} : { sessionIds: changed }), pinnedAt };
        await tx.record({ type: 'user.pinned', subject: { kind: 'user', id: userId }, data });
      }
      return { sessionIds: changed, pinned };
    });
}

function presentMark({ subjectKind, subjectId, readUntil, pinnedAt }: MarkRow): Mark {
  return {
    sessionId: subjectKind === 'session' ? subjectId : null,
    orchestrationId: subjectKind === 'orchestration' ? subjectId : null,
    readUntil,
    pinnedAt,
  };
}

export function inboxOperations(context: OperationContext) {
  return {
    'inbox.list': listInbox(context),
    'inbox.mark': markInbox(context),
    'inbox.marks': (page, call) =>
      pageOf(context.storage.read.marks, { userId: readerOf(context, call) }, page, presentMark),
    'sessions.pin': pinSessions(context),
  } satisfies Partial<Implementations>;
}

import {
  type AskedPermission,
  type Bound,
  changedPermission,
  loweredTo,
  type Permission,
} from '../../domain/permission-mode.ts';
import { markOf } from '../../domain/session-mark.ts';
import { ACTIVE_STATUSES } from '../../domain/tasks.ts';
import { authorOf } from '../../engine/author.ts';
import { sessionRow } from '../../engine/rows.ts';
import { noteProgress } from '../../engine/task-changes.ts';
import type { SessionRow } from '../../ports/rows.ts';
import type { Transaction } from '../../ports/storage.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { Implementation, Implementations, OperationContext } from '../operation.ts';

function updateSession(context: OperationContext): Implementation<'sessions.update'> {
  const { storage, views, now } = context;
  return async ({ sessionId, permissionMode, permissionCeiling, status, progress, ...fields }, call) => {
    const patch = omitUndefined(fields);
    const asked = { mode: permissionMode, ceiling: permissionCeiling };
    await storage.write(authorOf(call), async (tx) => {
      const session = await sessionRow(tx.sessions, sessionId);
      const permission = await changePermission(tx, context, session, asked, { person: call.caller.kind === 'user' });
      const active = await tx.tasks.count({ sessionId, status: [...ACTIVE_STATUSES] });
      const said = status === undefined ? {} : markOf(status, { mark: session.mark, working: active > 0 });
      // Whoever says anew how it stands wakes it from its rest, too.
      const mark = said.mark === undefined ? {} : { ...said, pausedBy: null };
      if (progress !== undefined) await noteProgress(tx, sessionId, progress);
      await tx.sessions.update(sessionId, { ...patch, ...mark, updatedAt: now().toISOString() });
      await tx.record({
        type: 'session.updated',
        subject: { kind: 'session', id: sessionId },
        sessionId,
        data: { ...patch, ...omitUndefined({ status, progress }), ...permission },
      });
    });
    return views.session(sessionId);
  };
}

/** What an event says of a change: how it was, how it is, and whose ceiling did it where it was another session's. */
interface PermissionChange {
  permission: { before: Permission; after: Permission; loweredBy?: string };
}

/**
 * Changes what a session's agent may do unasked, and lowers every session that came from it to a ceiling that was
 * lowered. Answers what the event says; nothing where nothing was asked.
 * @throws PERMISSION_DENIED and VALIDATION, see `changedPermission`.
 */
async function changePermission(
  tx: Transaction,
  context: OperationContext,
  session: SessionRow,
  asked: AskedPermission,
  by: { person: boolean },
): Promise<PermissionChange | Record<string, never>> {
  if (asked.mode === undefined && asked.ceiling === undefined) return {};
  const before = permissionOf(session);
  const bounds = await boundsAbove(tx, session);
  const after = await store(tx, context, session, changedPermission(before, asked, { ...by, bounds }));
  await lowerBelow(tx, context, session.id, after.ceiling);
  return { permission: { before, after } };
}

function permissionOf(row: SessionRow): Permission {
  return { mode: row.permissionMode, requested: row.requestedMode, ceiling: row.permissionCeiling };
}

async function store(
  tx: Transaction,
  { catalogue, now }: OperationContext,
  session: SessionRow,
  { requested, ceiling }: Pick<Permission, 'requested' | 'ceiling'>,
): Promise<Permission> {
  const stays = requested === null || requested === session.requestedMode;
  const mode = stays ? session.permissionMode : await catalogue.effectiveMode(session.agentId, requested);
  await tx.sessions.update(session.id, {
    permissionMode: mode,
    requestedMode: requested,
    permissionCeiling: ceiling,
    updatedAt: now().toISOString(),
  });
  return { mode, requested, ceiling };
}

/** The ceilings of the sessions it came from; above one that was removed, the next ones count. */
async function boundsAbove(tx: Transaction, session: SessionRow, seen = new Set<string>()): Promise<Bound[]> {
  const bounds: Bound[] = [];
  for (const id of [session.parentSessionId, session.createdBySessionId]) {
    if (id === null || seen.has(id)) continue;
    seen.add(id);
    const row = await tx.sessions.get(id);
    if (row === undefined) continue;
    if (row.removedAt === null) bounds.push({ sessionId: id, ceiling: row.permissionCeiling });
    else bounds.push(...(await boundsAbove(tx, row, seen)));
  }
  return bounds;
}

/** Every session under this one, however it came from it, is brought under the ceiling. */
async function lowerBelow(
  tx: Transaction,
  context: OperationContext,
  from: string,
  ceiling: Permission['ceiling'],
): Promise<void> {
  const seen = new Set([from]);
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const made = await tx.sessions.find({ createdBySessionId: id });
    for (const row of [...(await tx.sessions.find({ parentSessionId: id })), ...made]) {
      if (seen.has(row.id)) continue;
      seen.add(row.id);
      open.push(row.id);
      const before = permissionOf(row);
      const lowered = loweredTo(before, ceiling);
      if (lowered.requested === before.requested && lowered.ceiling === before.ceiling) continue;
      const after = await store(tx, context, row, lowered);
      await tx.record({
        type: 'session.updated',
        subject: { kind: 'session', id: row.id },
        sessionId: row.id,
        data: { permission: { before, after, loweredBy: from } } satisfies PermissionChange,
      });
    }
  }
}

export function sessionUpdates(context: OperationContext) {
  return {
    'sessions.update': updateSession(context),
  } satisfies Partial<Implementations>;
}

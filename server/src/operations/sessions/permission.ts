import {
  type AskedPermission,
  type Bound,
  changedPermission,
  loweredTo,
  type Permission,
} from '../../domain/permission-mode.ts';
import type { SessionRow } from '../../ports/rows/sessions.ts';
import type { Transaction } from '../../ports/storage.ts';
import type { OperationContext } from '../context.ts';

type Needs = Pick<OperationContext, 'catalogue' | 'now'>;

/** What an event says of a change: how it was, how it is, and whose ceiling did it where it was another session's. */
export interface PermissionChange {
  permission: { before: Permission; after: Permission; loweredBy?: string };
}

/**
 * Changes what a session's agent may do unasked, and lowers every session that came from it to a ceiling that was
 * lowered. Answers what the event says; nothing where nothing was asked.
 * @throws PERMISSION_DENIED and VALIDATION, see `changedPermission`.
 */
export async function changePermission(
  tx: Transaction,
  needs: Needs,
  session: SessionRow,
  asked: AskedPermission,
  by: { person: boolean },
): Promise<PermissionChange | Record<string, never>> {
  if (asked.mode === undefined && asked.ceiling === undefined) return {};
  const before = permissionOf(session);
  const bounds = await boundsAbove(tx, session);
  const after = await store(tx, needs, session, changedPermission(before, asked, { ...by, bounds }));
  await lowerBelow(tx, needs, session.id, after.ceiling);
  return { permission: { before, after } };
}

function permissionOf(row: SessionRow): Permission {
  return { mode: row.permissionMode, requested: row.requestedMode, ceiling: row.permissionCeiling };
}

async function store(
  tx: Transaction,
  { catalogue, now }: Needs,
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
async function lowerBelow(tx: Transaction, needs: Needs, from: string, ceiling: Permission['ceiling']): Promise<void> {
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
      const after = await store(tx, needs, row, lowered);
      await tx.record({
        type: 'session.updated',
        subject: { kind: 'session', id: row.id },
        sessionId: row.id,
        data: { permission: { before, after, loweredBy: from } } satisfies PermissionChange,
      });
    }
  }
}
